import CSerialQueue

extension SerialQueue {
    /// The queue of the innermost closure that this thread is running; `nil` if there is none.
    ///
    /// Compare it with `==`, not `===`: the result is another handle of the same queue. The handle through which the closure was
    /// submitted may already have been released.
    public static var current: SerialQueue? {
        // C does not retain it, but its task is on this thread's stack, so the queue exists until we have retained it.
        sq_current_queue().map { AfterShutdown.original(of: $0) ?? SerialQueue(owning: sq_queue_retain($0)) }
    }

    /// Whether the caller runs on this queue, however deeply nested.
    ///
    /// Then the state that the queue protects may be accessed directly, and a `sync` would wait for itself. Also `true` in code that
    /// runs after the queue's shutdown: an actor's late jobs and ``syncOrRun(_:)``.
    public var isCurrent: Bool {
        withExtendedLifetime(self) { sq_is_current(queue) } || AfterShutdown.isCurrent(for: self)
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
