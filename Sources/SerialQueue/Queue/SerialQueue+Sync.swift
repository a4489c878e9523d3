import CSerialQueueSwiftCall

extension SerialQueue {
    /// Waits until everything submitted before is done, runs `body` on the calling thread, and returns its result.
    ///
    /// `body` sees what earlier tasks wrote, and later ones see what it wrote. Nothing is allocated; result and error may
    /// be of any type.
    ///
    /// Don't use it in code that may already run on this queue, such as a `deinit`: use ``syncOrRun(_:)`` there. On Swift's
    /// cooperative threads use ``run(_:)`` if the work ahead takes long: this blocks the thread.
    ///
    /// - Precondition: The queue does not wait for the caller: the caller is not on it, nor on a queue that its tasks wait
    ///   for, unless they wait with a deadline. Otherwise the program traps, in release builds too, with a message that names the
    ///   queues. It also traps when the queue has been shut down, when there is no memory, and in the
    ///   child of a `fork` that found it busy. ``sync(within:_:)`` throws instead.
    /// - Throws: What `body` throws.
    @inlinable
    public func sync<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var outcome: Swift.Result<Result, Failure>?
        let status = borrowedSync(queue) { outcome = Swift.Result(catching: body) }
        // `body` may drop the last other reference to this queue, and C wants ours to last for the whole call.
        withExtendedLifetime(self) {}
        return try finish("sync", status, outcome.take())
    }

    /// As ``sync(_:)``, but on this queue already, however deeply nested, runs `body` directly, inside the current task.
    ///
    /// For code that may or may not run on the queue, above all a `deinit`: the last reference may be released anywhere.
    ///
    /// It works after `shutdown`, too: it waits for the queue's end, and then still excludes other
    /// such calls and an actor's late jobs.
    ///
    /// Don't use it by default: when it runs directly, `body` sees the unfinished changes of the task that it interrupts.
    ///
    /// - Throws: What `body` throws.
    @inlinable
    public func syncOrRun<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var outcome: Swift.Result<Result, Failure>?
        var status = borrowedSyncOrRun(queue) { outcome = Swift.Result(catching: body) }
        if status != 0 { status = syncOrRunLate(status) { outcome = Swift.Result(catching: body) } }
        // `body` may drop the last other reference to this queue, and C wants ours to last for the whole call.
        withExtendedLifetime(self) {}
        return try finish("syncOrRun", status, outcome.take())
    }

    /// The part of ``syncOrRun(_:)`` after an error. Returns C's status.
    @usableFromInline @inline(never)
    func syncOrRunLate(_ status: CInt, _ body: () -> Void) -> CInt {
        status == SQ_SWIFT_ESHUTDOWN ? AfterShutdown.syncOrRun(for: self, body) : status
    }
}
