extension WorkQueue {
    /// Runs `body` in its turn, on this thread or on the queue's, and waits for its result.
    ///
    /// On a free queue `body` runs on this thread. Otherwise it runs on the thread that reaches it first, as with
    /// `DispatchQueue.asyncAndWait`. On the queue's thread, the caller's thread-locals are missing, and the caller's queues are
    /// not current.
    ///
    /// Don't use this if `body` needs a particular thread: use ``sync(_:)`` for this thread, ``runAndWait(within:_:)`` for the
    /// queue's. Don't pass an actor's method by name: <doc:FunctionsOfActors>.
    ///
    /// - Parameters:
    ///   - limit: How long to wait for the turn; `nil`: without limit. If the limit passes first, `body` never runs. Once `body`
    ///     has started, the call waits for its end. On a free queue `body` runs even with a limit of zero.
    ///   - body: What to run.
    /// - Throws: What `body` throws, or a ``SerialQueueError``, as ``sync(within:_:)`` does.
    @_transparent
    public func asyncAndWait<Result: ~Copyable>(
        within limit: Duration? = nil,
        _ body: @Sendable () throws -> Result
    ) throws -> Result {
        var outcome: Swift.Result<Result, any Error>?
        let status = borrowedAsyncAndWait(queue, deadline(limit)) { outcome = Swift.Result(catching: body) }
        withExtendedLifetime(self) {}
        guard status == 0 else { throw SerialQueueError(status: status) }
        return try outcome.take()!.get()
    }

    /// Runs `body` in its turn on the queue's own thread, and waits for its result.
    ///
    /// On a ``ConcurrentQueue`` that is a thread of the pool, and the call is refused in each of its closures.
    ///
    /// Don't use this unless `body` needs that thread: ``sync(_:)`` is faster. The caller's thread-locals are missing there. `body`
    /// is not isolated to the caller's actor either, although the compiler does not detect that.
    ///
    /// - Parameters:
    ///   - limit: How long to wait for the turn; `nil`: without limit. If the limit passes first, `body` never runs. Once `body`
    ///     has started, the call waits for its end. On a free queue `body` runs even with a limit of zero.
    ///   - body: What to run.
    /// - Throws: What `body` throws, or a ``SerialQueueError``, as ``sync(within:_:)`` does.
    @_transparent
    public func runAndWait<Result: ~Copyable>(
        within limit: Duration? = nil,
        _ body: () throws -> Result
    ) throws -> Result {
        var outcome: Swift.Result<Result, any Error>?
        let status = borrowedRunAndWait(queue, deadline(limit)) { outcome = Swift.Result(catching: body) }
        withExtendedLifetime(self) {}
        guard status == 0 else { throw SerialQueueError(status: status) }
        return try outcome.take()!.get()
    }
}
