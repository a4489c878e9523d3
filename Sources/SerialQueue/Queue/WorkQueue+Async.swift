import CSerialQueue
import CSerialQueueSwiftCall

extension WorkQueue {
    /// Submits `body` to run on the queue's thread, after everything submitted before, and returns immediately.
    ///
    /// On a ``ConcurrentQueue`` it runs on a thread of the pool, after the barriers before it, at the same time as other closures.
    ///
    /// `body` sees what the caller wrote before. `body` and its captures are released on the queue, right after it has run, so a
    /// captured object's `deinit` may call ``syncOrRun(_:)`` and `async(_:)` on this queue.
    ///
    /// The call never waits. If callers can submit faster than the queue runs, give the queue a capacity.
    ///
    /// Don't pass an actor's method by name: <doc:FunctionsOfActors>.
    ///
    /// - Parameters:
    ///   - body: What to run.
    /// - Returns: `false` if the queue refused `body`: it is full, it has been shut down, there was no memory, its thread could
    ///   not be started, or it is from before a `fork`. Then `body` will not run and has been released.
    @discardableResult @inline(never)
    public func async(_ body: consuming sending @escaping () -> Void) -> Bool {
        async(consume body, from: sq_swift_caller())
    }

    func async(_ body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer) -> Bool {
        let error = EscapingClosure.submit(consume body, to: queue, from: caller)
        withExtendedLifetime(self) {}
        return error == nil
    }

    /// Submits `body` like `async(_:)`, but waits for room if the queue has a capacity and is full.
    ///
    /// Waiting callers get room in FIFO order. Don't use this on Swift's cooperative threads: it blocks the thread. Use
    /// ``submit(_:)`` there.
    ///
    /// - Parameters:
    ///   - limit: How long to wait for room.
    ///   - body: What to run.
    /// - Throws: `timedOut`; `deadlock`, if the queue waits for the caller; `shutDown`; `noResources`; `fromBeforeFork`. Then
    ///   `body` will not run and has been released.
    @inline(never)
    public func async(
        waitingUpTo limit: Duration,
        _ body: consuming sending @escaping () -> Void
    ) throws(SerialQueueError) {
        try async(waitingUpTo: limit, consume body, from: sq_swift_caller())
    }

    func async(
        waitingUpTo limit: Duration, _ body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer
    ) throws(SerialQueueError) {
        let error = EscapingClosure.submit(consume body, to: queue, by: deadline(limit), from: caller)
        withExtendedLifetime(self) {}
        if let error { throw error }
    }
}
