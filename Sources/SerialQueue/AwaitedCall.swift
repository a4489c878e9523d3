// AwaitedCall.swift: the closures of suspended callers, from their submission to their end.

import Synchronization

/// A closure on its way, and its caller.
///
/// The closure is there to be claimed, once: by its turn, a cancellation or a refusal, whichever comes first. Whoever has
/// it runs or releases it, and then tells the caller, who may not have been suspended yet.
///
/// Unchecked Sendable: the closure belongs to who claims it; the continuation is the caller's and the error the teller's
/// until both have been to `caller`, and then the second one's.
class ClosureCall<Body>: QueuedCall, @unchecked Sendable {
    private enum Caller: UInt8, AtomicRepresentable {
        case onItsWay
        case suspended
        case told
    }

    private var body: Body?
    private let isClaimed = Atomic(false)
    private var continuation: UnsafeContinuation<Void, any Error>?
    private var error: (any Error)?
    private let caller = Atomic(Caller.onItsWay)

    init(_ body: sending Body) {
        self.body = body
    }

    /// `nil`: somebody else was first.
    final func claim() -> Body? {
        // Relaxed: the body was written before anybody else was told of the call, and its writer does not look again.
        isClaimed.exchange(true, ordering: .relaxed) ? nil : body.take()
    }

    /// By the caller, once.
    final func suspend(_ continuation: UnsafeContinuation<Void, any Error>) {
        self.continuation = continuation
        if caller.exchange(.suspended, ordering: .acquiringAndReleasing) == .told { resume() }
    }

    /// By whoever knows, once: the body has run, or will run as promised (`nil`), or never will.
    final func tell(_ error: (any Error)?) {
        self.error = error
        if caller.exchange(.told, ordering: .acquiringAndReleasing) == .suspended { resume() }
    }

    private func resume() {
        if let error { continuation!.resume(throwing: error) } else { continuation!.resume() }
    }

    /// Releases the body before the caller is told. Does nothing if it has been claimed.
    final func giveUp(_ error: any Error) {
        if claimAndRelease() { tell(error) }
    }

    private func claimAndRelease() -> Bool {
        claim() != nil
    }
}

/// A closure that runs on a queue while its caller is suspended.
final class AwaitedCall<Result: ~Copyable>: ClosureCall<() throws -> sending Result>, @unchecked Sendable {
    // Written before the caller is told, and read after.
    private var outcome: Swift.Result<Result, any Error>?

    func start(on queue: SerialQueue) {
        if case .refused(let error) = submit(to: queue.queue) { giveUp(error) }
    }

    /// Whether it waits for room or for its turn. If that has come, does nothing.
    func cancel(on queue: SerialQueue) {
        giveUp(CancellationError())
        _ = stepOutOfLine(of: queue.queue)
    }

    override func turnCame(_ runs: Bool) {
        guard runs else { return giveUp(SerialQueueError.shutDown) }
        if claimAndRun() { tell(nil) }
    }

    override func decided(_ error: SerialQueueError?) {
        if let error { giveUp(error) }
    }

    /// Once the caller has been told that it has run.
    func takeOutcome() throws -> sending Result {
        // Nobody else has it any more: its writer is done.
        nonisolated(unsafe) let outcome = outcome.take()!
        return try outcome.get()
    }

    /// Has released the body when it returns: a caller that has been told finds it gone.
    private func claimAndRun() -> Bool {
        guard let body = claim() else { return false }
        outcome = Swift.Result(catching: body)
        return true
    }
}

/// A closure whose caller is suspended until there is room for it.
final class SubmittedCall: ClosureCall<() -> Void>, @unchecked Sendable {
    /// Whether it waits for room. Later, does nothing.
    func cancel(on queue: SerialQueue) {
        if stepOutOfLine(of: queue.queue) { giveUp(CancellationError()) }
    }

    override func turnCame(_ runs: Bool) {
        let body = claim()
        if runs { body?() }
    }

    override func decided(_ error: SerialQueueError?) {
        if let error { giveUp(error) } else { tell(nil) }
    }
}
