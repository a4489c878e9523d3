// AwaitedCall.swift: the closures of suspended callers, from their submission to their end.

import Synchronization

/// A closure that was submitted by a caller that may be suspended.
///
/// It is claimed once: by its turn, a cancellation or a refusal, whichever comes first. The claimant runs or releases it, and then
/// resumes the caller.
///
/// Unchecked Sendable: the closure belongs to the claimant, or, after a cancellation, to the caller.
class ClosureCall<Body>: QueuedCall, @unchecked Sendable {
    private var body: Body?
    private let isClaimed = Atomic(false)

    /// Consuming, like every function that passes the closure on: a borrower would keep it alive until the call returns.
    init(_ body: consuming sending Body) {
        self.body = consume body
    }

    /// Returns the closure; `nil`: it has already been claimed.
    final func claim() -> Body? {
        // Relaxed: the body was written before the call was submitted, and its writer does not access it again.
        isClaimed.exchange(true, ordering: .relaxed) ? nil : body.take()
    }

    /// Releases the body, then resumes the caller with the error. No effect if it has been claimed.
    final func fail(_ error: any Error) {
        if claimAndRelease() { complete(error) }
    }

    /// Claims it for a cancellation; `false` if it has already been claimed. The body is not released yet: a cancellation handler
    /// runs under a lock of the runtime, and the body's captures may have a `deinit`. ``outcome()`` releases it.
    final func claimForCaller() -> Bool {
        // Relaxed is also enough for the C calls that follow, because they take locks.
        !isClaimed.exchange(true, ordering: .relaxed)
    }

    final var hasBeenClaimed: Bool {
        isClaimed.load(ordering: .relaxed)
    }

    /// Waits until the call is decided. If it will not run, the body has been released when this returns. Otherwise the body belongs
    /// to its turn, which may still be pending.
    nonisolated(nonsending) final func outcome() async -> (any Error)? {
        let error = await wait()
        if error != nil { releaseBody() }
        return error
    }

    private func releaseBody() {
        _ = body.take()
    }

    private func claimAndRelease() -> Bool {
        claim() != nil
    }
}

/// A closure that runs on a queue while its caller is suspended.
///
/// Unchecked Sendable: the result is written before the caller is resumed, and read after.
final class AwaitedCall<Result: ~Copyable>: ClosureCall<() throws -> sending Result>, @unchecked Sendable {
    private var result: Swift.Result<Result, any Error>?

    /// Submits the call, waits for its end and returns its result. Call it once.
    nonisolated(nonsending) func result(
        on queue: WorkQueue, asBarrier isBarrier: Bool, _ file: StaticString, _ line: UInt
    ) async throws -> sending Result {
        try Task.checkCancellation()
        noteSite(of: queue.queue, file, line)
        // Before a cancellation can withdraw it.
        if case .refused(let error) = submit(to: queue.queue, asBarrier: isBarrier) { fail(error) }
        let error = await withTaskCancellationHandler {
            await outcome()
        } onCancel: {
            cancel()
        }
        if let error { throw error }
        return try takeResult()
    }

    /// Withdraws it from the waiters for room, or from the queue. No effect if its turn has come. Runs no user code.
    private func cancel() {
        guard claimForCaller() else { return }
        if !withdrawFromLine() { withdrawFromQueue() }
        complete(CancellationError())
    }

    override func turnCame(_ runs: Bool) {
        guard runs else { return fail(SerialQueueError.shutDown) }
        if claimAndRun() { complete(nil) }
    }

    override func decided(_ error: SerialQueueError?) {
        if let error {
            fail(error)
        } else if hasBeenClaimed {
            withdrawFromQueue()  // it was cancelled while it was being submitted
        }
    }

    /// The result. Call it after the caller has been resumed without an error.
    private func takeResult() throws -> sending Result {
        // The writer of the result does not access it again.
        nonisolated(unsafe) let result = result.take()!
        return try result.get()
    }

    /// The body has been released when this returns, and so before the caller is resumed.
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
    /// Withdraws it from the waiters for room. No effect if it has got room. Runs no user code.
    func cancel() {
        if withdrawFromLine(), claimForCaller() { complete(CancellationError()) }
    }

    override func turnCame(_ runs: Bool) {
        let body = claim()
        if runs { body?() }
    }

    override func decided(_ error: SerialQueueError?) {
        if let error { fail(error) } else { complete(nil) }
    }
}
