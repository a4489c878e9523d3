import CSerialQueue

extension SerialQueue {
    /// Submits `body` and returns at once; the queue's thread runs it after everything submitted before.
    ///
    /// What the caller wrote before is visible to `body`. `body` and what it captured are released right after it ran,
    /// on the queue, so a captured object's `deinit` may use ``syncOrRun(_:)`` and ``async(_:)`` on this queue.
    ///
    /// Not for callers that submit faster than the queue runs for ever: nothing holds them back, watch ``depth``.
    ///
    /// - Returns: `false` if the queue refused: there was no memory, its thread could not be started, or the queue is from
    ///   before a `fork`. Then `body` will not run and has been released; the queue works on.
    @discardableResult
    public func async(_ body: sending @escaping () -> Void) -> Bool {
        var task = TaskBox.task(body)
        let accepted = withExtendedLifetime(self) { sq_async_task(queue, &task) == 0 }
        if !accepted {
            TaskBox.takeBack(task)
        }
        return accepted
    }

    /// As ``async(_:)``, but where a queue of limited capacity is full, waits for room no longer than `limit`. Room goes
    /// to the callers in their order.
    ///
    /// - Throws: `timedOut`; `deadlock`, from a closure that the queue waits for; `shutDown`; `noResources`;
    ///   `fromBeforeFork`. Then `body` will not run and has been released.
    public func async(
        within limit: Duration,
        _ body: sending @escaping () -> Void
    ) throws(SerialQueueError) {
        var task = TaskBox.task(body)
        let status = withExtendedLifetime(self) { sq_async_until(queue, deadline(limit), &task) }
        if status != 0 {
            TaskBox.takeBack(task)
            throw SerialQueueError(status: status)
        }
    }
}
