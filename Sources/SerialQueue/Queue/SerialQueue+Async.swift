import CSerialQueue

extension SerialQueue {
    /// Submits `body` and returns at once; the queue's thread runs it after everything submitted before.
    ///
    /// What the caller wrote before is visible to `body`. `body` and what it captured are released right after it ran,
    /// on the queue, so a captured object's `deinit` may use ``syncOrRun(_:)`` and ``async(_:)`` on this queue.
    ///
    /// It never makes the caller wait. If callers can submit faster than the queue runs, give the queue a capacity.
    ///
    /// - Returns: `false` if the queue refused: it is full, or has been shut down, there was no memory, its thread could not
    ///   be started, or it is from before a `fork`. Then `body` will not run and has been released.
    @discardableResult
    public func async(_ body: consuming sending @escaping () -> Void) -> Bool {
        // SQ_NOW: does not wait for room.
        let error = EscapingClosure.submit(consume body, to: queue, by: 0)
        withExtendedLifetime(self) {}
        return error == nil
    }

    /// As ``async(_:)``, but if the queue has a capacity and is full, waits for room, at most for `limit`.
    ///
    /// Waiting callers get room in FIFO order.
    ///
    /// - Throws: `timedOut`; `deadlock`, from a closure that the queue waits for; `shutDown`; `noResources`;
    ///   `fromBeforeFork`. Then `body` will not run and has been released.
    public func async(
        waitingUpTo limit: Duration,
        _ body: consuming sending @escaping () -> Void
    ) throws(SerialQueueError) {
        let error = EscapingClosure.submit(consume body, to: queue, by: deadline(limit))
        withExtendedLifetime(self) {}
        if let error { throw error }
    }
}
