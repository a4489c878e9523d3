extension SerialQueue {
    /// Runs `body` in its turn, on this thread or the queue's, waits until it is done, and returns its result.
    ///
    /// On a free queue it runs here. Else it runs on the queue's thread or here, whichever comes to it first, as with
    /// `DispatchQueue.asyncAndWait`. Don't use it for a `body` that is bound to a thread: use ``sync(_:)`` for this one,
    /// ``runAndWait(within:_:)`` for the queue's own. On the queue's thread, thread-locals of the caller are missing, and the
    /// queues that the caller is on are not current.
    ///
    /// - Parameters:
    ///   - limit: For how long to wait for the turn; `nil`: without limit. When it has passed first, `body` is guaranteed
    ///     never to run; once it runs, the call waits for its end. A queue that is free is taken in any case.
    ///   - body: What to run.
    /// - Throws: What `body` throws, or a ``SerialQueueError``, as ``sync(within:_:)`` does.
    @inlinable
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

    /// Runs `body` in its turn on the queue's own thread, waits until it is done, and returns its result.
    ///
    /// Use it only if `body` needs that thread: ``sync(_:)`` is faster. Thread-locals of the caller are missing there. So is the actor that
    /// the caller is isolated to, although the compiler does not see it.
    ///
    /// - Parameters:
    ///   - limit: For how long to wait for the turn; `nil`: without limit. When it has passed first, `body` is guaranteed
    ///     never to run; once it runs, the call waits for its end. A queue that is free is taken in any case.
    ///   - body: What to run.
    /// - Throws: What `body` throws, or a ``SerialQueueError``, as ``sync(within:_:)`` does.
    @inlinable
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
