// AwaitedCall.swift: the closures of suspended callers, from their submission to their end.

import Synchronization

/// A closure on its way.
///
/// It is there to be claimed, once: by its turn, a cancellation or a refusal, whichever comes first. Whoever has it runs or
/// releases it, and then tells the caller.
///
/// Unchecked Sendable: the closure belongs to who claims it.
class ClosureCall<Body>: QueuedCall, @unchecked Sendable {
    private var body: Body?
    private let isClaimed = Atomic(false)

    /// Consuming, as all that a closure goes through on its way here: who borrows it keeps it until the caller goes on.
    init(_ body: consuming sending Body) {
        self.body = consume body
    }

    /// `nil`: somebody else was first.
    final func claim() -> Body? {
        // Relaxed: the body was written before anybody else was told of the call, and its writer does not look again.
        isClaimed.exchange(true, ordering: .relaxed) ? nil : body.take()
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
///
/// Unchecked Sendable: the result is written before the caller is told, and read after.
final class AwaitedCall<Result: ~Copyable>: ClosureCall<() throws -> sending Result>, @unchecked Sendable {
    private var result: Swift.Result<Result, any Error>?

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
    func takeResult() throws -> sending Result {
        // Nobody else has it any more: its writer is done.
        nonisolated(unsafe) let result = result.take()!
        return try result.get()
    }

    /// Has released the body when it returns: a caller that has been told finds it gone.
    private func claimAndRun() -> Bool {
        guard let body = claim() else { return false }
        result = Swift.Result(catching: body)
        return true
    }
}

/// A closure whose caller is suspended until there is room for it.
///
/// Unchecked Sendable: adds no state.
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
