import CSerialQueueSwiftCall

extension WorkerPool {
    /// Calls `body` once for each number from 0 to `count` - 1, several at the same time, and returns when all calls have returned.
    ///
    /// The calling thread runs iterations itself; threads of the pool that have nothing else to do help. So it never waits for a busy
    /// pool: there, and on a ``ManualPool``, the caller runs all iterations. Iterations may block, and may call `apply`. An iteration must
    /// not wait for another one: they may run one after the other.
    ///
    /// ```swift
    /// let squares = (0..<100).map { _ in Once() }  // any object per iteration
    /// WorkerPool.shared.apply(squares.count) { index in squares[index].run { print(index * index) } }
    /// ```
    ///
    /// For iterations on the calling thread, the caller's queues are current; for the others, no queue is. A `sync` onto a queue of the
    /// caller is a deadlock in all of them: it traps.
    ///
    /// Don't use this on Swift's cooperative threads for work that takes long: it blocks the thread. Use a task group. Don't pass an
    /// actor's method by name: <doc:FunctionsOfActors>.
    ///
    /// - Precondition: `count` is not negative, and no iteration forks.
    @inline(never)
    public func apply(_ count: Int, _ body: @Sendable (Int) -> Void) {
        apply(count, body, from: sq_swift_caller())
    }

    private func apply(_ count: Int, _ body: @Sendable (Int) -> Void, from caller: UnsafeRawPointer) {
        guard count >= 0 else { countIsNegative(count) }
        let status = borrowedApply(pool, count, body, from: caller)
        withExtendedLifetime(self) {}
        if status != 0 { applyHasForked() }
    }

    /// Calls `body` once for each index below `count`, on the calling thread and on threads of ``shared``.
    @inline(never)
    public static func apply(_ count: Int, _ body: @Sendable (Int) -> Void) {
        shared.apply(count, body, from: sq_swift_caller())
    }
}
