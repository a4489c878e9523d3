extension WorkQueue {
    /// Runs `body` like ``sync(_:)``, but waits for its turn at most for `limit`; after that, `body` never runs.
    ///
    /// The limit applies to the wait, not to `body`. On a free queue `body` runs even with a limit of zero.
    ///
    /// - Throws: What `body` throws, or a ``SerialQueueError``: `timedOut`; `deadlock`, instead of the trap of ``sync(_:)``;
    ///   `shutDown`; `noResources`; `fromBeforeFork`.
    @_transparent
    public func sync<Result: ~Copyable>(within limit: Duration, _ body: () throws -> Result) throws -> Result {
        var outcome: Swift.Result<Result, any Error>?
        let status = borrowedSyncUntil(queue, deadline(limit)) { outcome = Swift.Result(catching: body) }
        // `body` may drop the last other reference to this queue, and C wants ours to last for the whole call.
        withExtendedLifetime(self) {}
        guard status == 0 else { throw SerialQueueError(status: status) }
        return try outcome.take()!.get()
    }

    /// Runs `body` if the queue is free, without waiting.
    ///
    /// - Returns: The result; `nil` if the queue is busy (also with a closure of the caller), suspended, shut down or from before a
    ///   `fork`. Then `body` has not run.
    /// - Throws: What `body` throws.
    @_transparent
    public func trySync<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        var outcome: Swift.Result<Result, Failure>?
        let status = borrowedSyncUntil(queue, 0) { outcome = Swift.Result(catching: body) }
        withExtendedLifetime(self) {}
        guard status == 0 else { return nil }
        return try outcome.take()!.get()
    }
}
