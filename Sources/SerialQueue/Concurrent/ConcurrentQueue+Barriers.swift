import CSerialQueueSwiftCall

extension ConcurrentQueue {
    /// Submits `body` to run alone, after everything submitted before and before everything after it, and returns immediately.
    ///
    /// `body` and its captures are released right after it has run, before the next closure starts.
    ///
    /// - Returns: `false` if the queue refused `body`, as `async(_:)` does. Then `body` will not run and has been released.
    @discardableResult @inline(never)
    public func asyncBarrier(_ body: consuming sending @escaping () -> Void) -> Bool {
        asyncBarrier(consume body, from: sq_swift_caller())
    }

    func asyncBarrier(_ body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer) -> Bool {
        let error = EscapingClosure.submit(consume body, to: queue, asBarrier: true, from: caller)
        withExtendedLifetime(self) {}
        return error == nil
    }

    /// As ``asyncBarrier(_:)``, with `body` as a member of `group` until it has run, or has been discarded, and its captures have
    /// been released.
    ///
    /// - Returns: `false` if the queue refused `body`. Then `body` will not run and has been released, and the group has not changed.
    @discardableResult @inline(never)
    public func asyncBarrier(in group: WorkGroup, _ body: consuming sending @escaping () -> Void) -> Bool {
        asyncBarrier(in: group, consume body, from: sq_swift_caller())
    }

    func asyncBarrier(
        in group: WorkGroup, _ body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer
    ) -> Bool {
        let error = EscapingClosure.submit(consume body, to: queue, in: group.group, asBarrier: true, from: caller)
        withExtendedLifetime((self, group)) {}
        return error == nil
    }

    /// Submits `body` to run alone when `delay` has passed, as ``WorkQueue/asyncAfter(_:_:)-(_,()->Void)`` does with one that is no barrier.
    ///
    /// Closures that are submitted before the delay is over do not wait for it. A full queue accepts `body`, too.
    ///
    /// - Returns: `false` if the queue refused `body`. Then `body` will not run and has been released.
    @discardableResult @inline(never)
    public func asyncBarrierAfter(_ delay: Duration, _ body: consuming sending @escaping () -> Void) -> Bool {
        asyncBarrierAfter(delay, consume body, from: sq_swift_caller())
    }

    func asyncBarrierAfter(
        _ delay: Duration, _ body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer
    ) -> Bool {
        asyncAfter(delay, WorkItem(isBarrier: true, consume body), from: caller)
    }

    /// Waits for everything submitted before, runs `body` alone on the calling thread, and returns its result.
    ///
    /// `body` sees what earlier closures wrote, and later ones see what it wrote. Nothing is allocated. The result and the error
    /// may be of any type.
    ///
    /// - Precondition: The queue does not wait for the caller: the caller is not on it, also not in a closure that is no barrier, nor
    ///   on a queue that its closures wait for without a limit. Otherwise the program traps, also in release builds, with a message
    ///   that names the queues. It also traps if the queue has been shut down, if there is no memory, and in the child of a `fork` that
    ///   happened while the queue was busy. ``syncBarrier(within:_:)`` throws instead.
    /// - Throws: What `body` throws.
    @_transparent
    public func syncBarrier<Result: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var outcome: Swift.Result<Result, Failure>?
        let status = borrowedSyncBarrier(queue, .max) { outcome = Swift.Result(catching: body) }
        // `body` may drop the last other reference to this queue, and C wants ours to last for the whole call.
        withExtendedLifetime(self) {}
        return try finish("syncBarrier", status, outcome.take())
    }

    /// Runs `body` like ``syncBarrier(_:)``, but waits for its turn at most for `limit`; after that, `body` never runs.
    ///
    /// The limit applies to the wait, not to `body`. Closures behind a barrier whose limit passes no longer wait for those ahead of it.
    /// On a queue on which nothing runs or waits, `body` runs even with a limit of zero.
    ///
    /// - Throws: What `body` throws, or a ``SerialQueueError``: `timedOut`; `deadlock`, instead of the trap of ``syncBarrier(_:)``;
    ///   `shutDown`; `noResources`; `fromBeforeFork`.
    @_transparent
    public func syncBarrier<Result: ~Copyable>(within limit: Duration, _ body: () throws -> Result) throws -> Result {
        var outcome: Swift.Result<Result, any Error>?
        let status = borrowedSyncBarrier(queue, deadline(limit)) { outcome = Swift.Result(catching: body) }
        withExtendedLifetime(self) {}
        guard status == 0 else { throw SerialQueueError(status: status) }
        return try outcome.take()!.get()
    }

    /// Runs `body` alone on a thread of the pool, in its turn, and suspends the caller until its result is there.
    ///
    /// If the caller is cancelled before the turn, the call throws `CancellationError` immediately, `body` never runs, and closures behind
    /// it no longer wait for those ahead of it. In `body`, `Task.isCancelled` is always `false`: `runBarrier { context in }` can ask. Otherwise as ``WorkQueue/run(_:)-(()->Result)``. A task that prefers this queue as its
    /// executor may call it: the task is suspended, so it is not on the queue.
    ///
    /// - Throws: What `body` throws; `CancellationError`; or, if `body` did not run, a ``SerialQueueError``: `shutDown`;
    ///   `noResources`; `fromBeforeFork`.
    @_transparent
    public nonisolated(nonsending) func runBarrier<Result: ~Copyable>(
        _ body: consuming sending @escaping () throws -> sending Result
    ) async throws -> sending Result {
        try await run(consume body, asBarrier: true, from: sq_swift_here())
    }
}
