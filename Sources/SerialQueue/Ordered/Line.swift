/// The tasks of one ordered queue, from ``arrive(_:)`` over ``begin(_:)`` to ``end(_:)``. Who lets the next one begin, and when,
/// is the queue's rule.
final class Line: Sendable {
    private let arrivals = Locked(Arrivals())
    private let running = Locked(Running())
    /// Taken out of the arrivals, and not yet begun. Only the holder of the baton touches it, and the baton is passed on by
    /// locks, atomics or the start of a job.
    nonisolated(unsafe) private var taken: (any Held)?

    /// Enqueues. `true`: the caller has the baton, and starts `held`.
    func arrive(_ held: any Held) -> Bool {
        arrivals.withLock { $0.arrive(held) }
    }

    /// The next one, for the holder of the baton. `nil`: there is none, and the caller does not hold the baton any more.
    func next() -> (any Held)? {
        guard let held = taken ?? arrivals.withLock({ $0.takeAll() }) else { return nil }
        taken = held.behind
        held.behind = nil
        return held
    }

    /// Notes that `held` begins, in the current task, which is cancelled if it ought to be.
    func begin(_ held: any Held) {
        withUnsafeCurrentTask { task in
            if running.withLock({ $0.begin(held, in: task) }) { task?.cancel() }
        }
    }

    /// Notes that `held` ends.
    func end(_ held: any Held) {
        for waiter in running.withLock({ $0.end(held) }) { waiter.resume() }
    }

    /// Cancels what has been enqueued so far.
    func cancelAll() {
        let below = arrivals.withLock { $0.count }
        // The tasks are used after the lock has been let go, when they may have ended. They are retained, and to cancel a
        // task that has ended does nothing.
        for task in running.withLock({ $0.cancelAll(below: below) }) { task.cancel() }
    }

    /// Waits until what has been enqueued so far has ended.
    func drain(isolation: isolated (any Actor)?) async {
        let below = arrivals.withLock { $0.count }
        await withUnsafeContinuation { waiter in
            if !running.withLock({ $0.wait(below: below, waiter) }) { waiter.resume() }
        }
    }

    /// The oldest one that runs.
    var oldest: (any Held)? {
        running.withLock { $0.first }
    }

    /// Whether `task` is one of those that run.
    func isRunning(_ task: UnsafeCurrentTask) -> Bool {
        running.withLock { $0.contains(task) }
    }
}
