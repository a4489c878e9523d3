// AwaitedCall.swift: the closures of suspended callers, from their submission to their end.

import Synchronization

typealias CallerContinuation = UnsafeContinuation<Void, any Error>

/// A closure that runs on a queue while its caller is suspended.
///
/// Unchecked Sendable: the body goes to the one who claims it, and the outcome is written before the caller is told, and
/// read after.
final class AwaitedCall<Result: ~Copyable>: QueuedCall, @unchecked Sendable {
    private struct Body: @unchecked Sendable {
        let run: () throws -> sending Result
    }

    private let turn: Mutex<Turn<Body, CallerContinuation>>
    private var outcome: Swift.Result<Result, any Error>?

    init(_ body: sending @escaping () throws -> sending Result) {
        turn = Mutex(Turn(Body(run: body)))
    }

    func start(on queue: SerialQueue) {
        if case .refused(let error) = submit(to: queue.queue) { giveUp(error) }
    }

    func suspend(_ continuation: CallerContinuation) {
        turn.withLock { $0.suspend(continuation) }?.perform()
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

    // The next two have released the body when they return: a caller that has been told finds it gone.

    private func claimAndRun() -> Bool {
        guard let body = turn.withLock({ $0.claim() }) else { return false }
        outcome = Swift.Result(catching: body.run)
        return true
    }

    private func claimAndRelease() -> Bool {
        turn.withLock { $0.claim() } != nil
    }

    private func giveUp(_ error: any Error) {
        if claimAndRelease() { tell(error) }
    }

    private func tell(_ error: (any Error)?) {
        turn.withLock { $0.tell(error) }?.perform()
    }
}

/// A closure whose caller is suspended until there is room for it.
///
/// Unchecked Sendable: the body goes to the one who claims it.
final class SubmittedCall: QueuedCall, @unchecked Sendable {
    private struct Body: @unchecked Sendable {
        let run: () -> Void
    }

    private let turn: Mutex<Turn<Body, CallerContinuation>>

    init(_ body: sending @escaping () -> Void) {
        turn = Mutex(Turn(Body(run: body)))
    }

    func suspend(_ continuation: CallerContinuation) {
        turn.withLock { $0.suspend(continuation) }?.perform()
    }

    /// Whether it waits for room. Later, does nothing.
    func cancel(on queue: SerialQueue) {
        if stepOutOfLine(of: queue.queue) { giveUp(CancellationError()) }
    }

    override func turnCame(_ runs: Bool) {
        let body = turn.withLock { $0.claim() }
        if runs { body?.run() }
    }

    override func decided(_ error: SerialQueueError?) {
        if let error { return giveUp(error) }
        turn.withLock { $0.tell(nil) }?.perform()
    }

    private func giveUp(_ error: any Error) {
        release()
        turn.withLock { $0.tell(error) }?.perform()
    }

    private func release() {
        _ = turn.withLock { $0.claim() }
    }
}
