import CSerialQueue
import CSerialQueue.Private
import CSerialQueueSwiftCall

extension WorkQueue {
    /// Submits `body` to the queue when `delay` has passed.
    ///
    /// `body` then waits for its turn, after everything submitted before. With a delay of zero it is submitted immediately, in
    /// order with `async(_:)`. Closures that are due at the same time keep their order. Changes of the wall clock do not affect
    /// the delay; on a ``ManualPool`` it uses the pool's clock. A pending closure keeps the queue alive. `shutdown` releases closures that
    /// are not due yet. A full queue also accepts `body`.
    ///
    /// ```swift
    /// let queue = SerialQueue(label: "com.example.retry")
    /// queue.asyncAfter(.milliseconds(50)) { print("again") }
    /// ```
    ///
    /// Don't use this for periodic work: use ``makeTimer(every:leeway:_:)``. Don't pass an actor's method by name: <doc:FunctionsOfActors>.
    ///
    /// - Parameters:
    ///   - delay: How long to wait before the submission.
    ///   - body: What to run.
    /// - Returns: `false` if the queue refused `body`: it has been shut down, there was no memory, its thread could not be
    ///   started, or it is from before a `fork`. Then `body` will not run and has been released.
    @discardableResult @inline(never)
    public func asyncAfter(_ delay: Duration, _ body: consuming sending @escaping () -> Void) -> Bool {
        asyncAfter(delay, consume body, from: sq_swift_caller())
    }

    func asyncAfter(
        _ delay: Duration, _ body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer
    ) -> Bool {
        var task = DelayedClosure.task(consume body)
        let status = withExtendedLifetime(self) { sq__async_task_after(queue, nanoseconds(delay), &task, caller) }
        if status != 0 {
            DelayedClosure.takeBack(task)
        }
        return status == 0
    }
}
