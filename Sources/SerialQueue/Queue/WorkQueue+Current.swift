import CSerialQueue

extension WorkQueue {
    /// The queue of the innermost closure that this thread is running.
    static var innermost: WorkQueue? {
        // C does not retain it, but its task is on this thread's stack, so the queue exists until we have retained it.
        guard let queue = sq_current_queue() else { return nil }
        sq_queue_retain(queue)
        return sq_queue_width(queue) == 1 ? SerialQueue(owning: queue) : ConcurrentQueue(owning: queue)
    }

    /// Whether the caller runs on this queue, however deeply nested.
    ///
    /// Then a `sync` of a ``SerialQueue`` would wait for itself, and the state that the queue protects may be accessed directly (in a
    /// closure of a ``ConcurrentQueue``: read, unless it is a barrier). Also `true` in code that runs after the queue's shutdown: an
    /// actor's late jobs and ``syncOrRun(_:)``.
    public var isCurrent: Bool {
        withExtendedLifetime(self) { sq_is_current(queue) }
    }

    /// Traps if the caller does not run on this queue, also in release builds.
    public func preconditionIsCurrent(
        _ message: @autoclosure () -> String = String(),
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        guard !isCurrent else { return }
        notCurrent(message(), file: file, line: line)
    }
}
