extension WorkQueue {
    /// Waits for everything submitted before, runs `body` on the calling thread, and returns its result.
    ///
    /// On a queue of a ``LoopPool``, or one that targets such a queue, `body` of another thread runs on the thread that owns the pool: the caller's
    /// thread-locals are missing there, and `body` is not isolated to the caller's actor either, although the compiler does not detect that.
    ///
    /// On a ``ConcurrentQueue`` it waits for the barriers before it; within a closure of that queue that is not a barrier it runs
    /// `body` at once.
    ///
    /// `body` sees what earlier closures wrote, and later ones see what it wrote. Nothing is allocated. The result and the error
    /// may be of any type.
    ///
    /// Don't use this in code that may already run on this queue, such as a `deinit`: use ``syncOrRun(_:)`` there. On Swift's
    /// cooperative threads, use ``run(_:)-(()->Result)`` if the work ahead takes long: this blocks the thread.
    ///
    /// - Precondition: The queue does not wait for the caller: the caller is not on it (in a ``ConcurrentQueue``: not in a barrier), nor
    ///   on a queue that its closures wait for without a limit. Otherwise the program traps, also in release builds, with a message that names the queues. It also
    ///   traps if the queue has been shut down, if there is no memory, and in the child of a `fork` that happened while the queue
    ///   was busy. ``sync(within:_:)`` throws instead.
    /// - Throws: What `body` throws.
    @_transparent
    public func sync<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var outcome: Swift.Result<Result, Failure>?
        let status = borrowedSync(queue) { outcome = Swift.Result(catching: body) }
        // `body` may drop the last other reference to this queue, and C wants ours to last for the whole call.
        withExtendedLifetime(self) {}
        return try finish("sync", status, outcome.take())
    }

    /// Runs `body` like ``sync(_:)``; if the caller is already on this queue, however deeply nested, runs it directly.
    ///
    /// Use this in code that may or may not run on the queue, such as a `deinit`: the last reference may be released anywhere. It
    /// also works after `shutdown`: it waits for the queue's end, and still excludes other such calls and an actor's late jobs.
    ///
    /// Don't use this by default: when `body` runs directly, it sees the unfinished changes of the closure that it interrupts.
    ///
    /// - Precondition: As for ``sync(_:)``, except that the caller may be on this queue, and the queue may have been shut down.
    /// - Throws: What `body` throws.
    @_transparent
    public func syncOrRun<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var outcome: Swift.Result<Result, Failure>?
        let status = borrowedSyncOrRun(queue) { outcome = Swift.Result(catching: body) }
        // `body` may drop the last other reference to this queue, and C wants ours to last for the whole call.
        withExtendedLifetime(self) {}
        return try finish("syncOrRun", status, outcome.take())
    }
}
