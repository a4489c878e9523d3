extension SerialQueue {
    /// Runs `body` on the queue's thread, in its turn; suspends the caller meanwhile, and returns the result.
    ///
    /// If the caller is cancelled before the turn, the call throws `CancellationError` immediately. Then `body` never runs: it counts
    /// as withdrawn, its depth and its room are free again, and its captures have been released. A `body` that has started runs to
    /// its end, and its result counts.
    ///
    /// On a queue with a capacity it takes room; if there is none, the caller is suspended until there is, in line
    /// with ``submit(_:)`` and ``async(waitingUpTo:_:)``. No thread is blocked.
    ///
    /// May be called from an actor on this queue: the actor is suspended, so its queue continues.
    ///
    /// Don't use it for work that suspends: use an actor. For tiny pieces of work ``sync(_:)`` from a thread that may block is
    /// faster.
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

    /// As ``async(_:)``, but if the queue has a capacity and is full, suspends the caller until there is room.
    ///
    /// Waiting callers get room in FIFO order, together with those of ``async(waitingUpTo:_:)`` and ``run(_:)``.
    ///
    /// Returns when `body` has been accepted, not when it has run. If the caller is cancelled before, the call throws; an
    /// accepted `body` is not withdrawn.
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
