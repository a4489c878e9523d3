import CSerialQueue

extension SerialQueue {
    /// The queue of the innermost closure that this thread is running; `nil` outside of any.
    ///
    /// Compare it with `==`, not `===`: the result is another handle of the same queue. The handle that
    /// the closure was submitted through may have been released, while the closure still runs.
    public static var current: SerialQueue? {
        // Not retained by C, but its task is on this thread's stack, so the queue lives at least until we have retained it.
        sq_current_queue().map { AfterShutdown.original(of: $0) ?? SerialQueue(owning: sq_queue_retain($0)) }
    }

    /// Whether the caller runs on this queue, however deeply nested: then a `sync` would wait for itself, and what the
    /// queue protects may be accessed directly. Also `true` in what runs after the queue's shutdown: an actor's jobs, and
    /// ``syncOrRun(_:)``.
    public var isCurrent: Bool {
        withExtendedLifetime(self) { sq_is_current(queue) } || AfterShutdown.isCurrent(for: self)
    }

    /// Traps, in release builds too, if the caller does not run on this queue.
    public func preconditionIsCurrent(
        _ message: @autoclosure () -> String = String(),
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        guard !isCurrent else { return }
        notCurrent(message(), file: file, line: line)
    }
}
