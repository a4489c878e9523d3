extension SerialQueue {
    /// Runs `body` on the queue's thread, in its turn, suspends the caller meanwhile, and returns the result.
    ///
    /// A caller that is cancelled before the turn throws `CancellationError` at once. Then `body` never runs: it counts as
    /// withdrawn, and its depth and its room are free at once. What it captured is released by the caller, before the call
    /// throws. From its turn on, `body` runs to the end, and its result counts.
    ///
    /// In a queue of limited capacity it takes room; if there is none, the caller is suspended until there is, in line
    /// with ``submit(_:)`` and ``async(waitingUpTo:_:)``. No thread is blocked.
    ///
    /// May be called from an actor on this queue: the actor is suspended, so its queue goes on.
    ///
    /// Not for work that suspends: an actor does that. Not for tiny pieces of work: ``sync(_:)`` from a thread that may
    /// block is faster.
    ///
    /// - Throws: What `body` throws; `CancellationError`; or, if `body` did not run, a ``SerialQueueError``: `shutDown`;
    ///   `noResources`; `fromBeforeFork`.
    public nonisolated(nonsending) func run<Result: ~Copyable>(
        _ body: consuming sending @escaping () throws -> sending Result
    ) async throws -> sending Result {
        try Task.checkCancellation()
        let call = AwaitedCall(consume body)
        call.start(on: self)  // before there can be a cancellation, which withdraws it
        let error = await withTaskCancellationHandler {
            await call.outcome()
        } onCancel: {
            call.cancel()
        }
        if let error { throw error }
        return try call.takeResult()
    }

    /// As ``async(_:)``, but where a queue of limited capacity is full, suspends the caller until there is room. Room goes
    /// to the callers in their order, to those of ``async(waitingUpTo:_:)`` and ``run(_:)`` as well.
    ///
    /// Returns when `body` has been accepted, not when it has run. A caller that is cancelled before throws; later on
    /// nothing takes `body` back.
    ///
    /// - Throws: `CancellationError`, or a ``SerialQueueError``: `shutDown`; `noResources`; `fromBeforeFork`. Then `body`
    ///   will not run, and has been released.
    public nonisolated(nonsending) func submit(
        _ body: consuming sending @escaping () -> Void
    ) async throws {
        try Task.checkCancellation()
        let call = SubmittedCall(consume body)
        switch call.submit(to: queue) {
        case .accepted: return
        case .refused(let error): throw error
        case .waitsForRoom: break
        }
        let error = await withTaskCancellationHandler {
            await call.outcome()
        } onCancel: {
            call.cancel()
        }
        if let error { throw error }
    }
}
