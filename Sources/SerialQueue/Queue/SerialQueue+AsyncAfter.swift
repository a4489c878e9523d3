import CSerialQueue

extension SerialQueue {
    /// Submits `body` when `delay` has passed: it waits first for its time, then for its turn, behind everything that was
    /// submitted before.
    ///
    /// With a delay of zero it is submitted at once, in order with ``async(_:)``. Those that are due at the same time keep the
    /// order in which they were submitted. No change of the wall clock moves the time; on
    /// a ``ManualPool`` it is the pool's own. A pending closure keeps the queue alive; `shutdown`
    /// lets go of what is not due. A full queue takes it all the same.
    ///
    /// ```swift
    /// let queue = SerialQueue(label: "com.example.retry")
    /// queue.asyncAfter(.milliseconds(50)) { print("again") }
    /// ```
    ///
    /// Not for what repeats: ``makeTimer(every:leeway:_:)``.
    ///
    /// - Returns: `false` if the queue refused: it has been shut down, there was no memory, its thread could not be
    ///   started, or it is from before a `fork`. Then `body` will not run and has been released.
    @discardableResult
    public func asyncAfter(_ delay: Duration, _ body: consuming sending @escaping () -> Void) -> Bool {
        var task = DelayedClosure.task(consume body)
        let status = withExtendedLifetime(self) { sq_async_task_after(queue, nanoseconds(delay), &task) }
        if status != 0 {
            DelayedClosure.takeBack(task)
        }
        return status == 0
    }
}
