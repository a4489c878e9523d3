import Synchronization

/// The tasks of one ordered queue, from ``arrive(_:)`` over ``begin(_:)`` to ``end(_:)``. Who lets the next one begin, and when,
/// is the queue's rule.
@usableFromInline
final class TaskLine: Sendable {
    private let arrivals = ArrivalStack()
    private let running = QueueLocked(RunningTasks())
    /// How often everything was cancelled.
    private let epoch = Atomic(0)
    /// Taken out of the arrivals, and not yet begun; retained. Only the holder of the baton touches it, and the baton is passed
    /// on by atomics or the start of a job.
    nonisolated(unsafe) private var taken: Unmanaged<QueuedTask>?

    /// Enqueues. `true`: the caller has the baton, and lets `held` leave.
    func arrive(_ queued: QueuedTask) -> Bool {
        queued.epoch = epoch.load(ordering: .sequentiallyConsistent)
        return arrivals.arrive(queued)
    }

    /// The next task, for the holder of the baton. `nil`: there is none, and the caller does not hold the baton any more.
    func next() -> QueuedTask? {
        while let queued = (taken ?? arrivals.takeAll())?.takeRetainedValue() {
            taken = queued.neighbour.take()
            guard let marker = queued as? Marker else { return queued }
            marker.reached()
        }
        return nil
    }

    /// Notes that `held` begins, in the current task, which is cancelled if it ought to be.
    func begin(_ queued: QueuedTask) {
        withUnsafeCurrentTask { task in
            if running.withLock({ $0.begin(queued, in: task) }) { task?.cancel() }
        }
    }

    /// Notes that `held` ends.
    func end(_ queued: QueuedTask) {
        for waiter in running.withLock({ $0.end(queued) }) { waiter.resume() }
    }

    /// Cancels what has been enqueued so far.
    func cancelAll() {
        let epoch = epoch.add(1, ordering: .sequentiallyConsistent).newValue
        // The tasks are used after the lock has been let go, when they may have ended. They are retained, and to cancel a
        // task that has ended does nothing.
        for task in running.withLock({ $0.cancelled(by: epoch) }) { task.cancel() }
    }

    /// Waits until what has been enqueued so far has ended. `goOn` is called if the caller gets the baton: it lets the next one
    /// begin.
    nonisolated(nonsending) func drain(goOn: () -> Void) async {
        await withUnsafeContinuation { (waiter: RunningTasks.Waiter) in
            let marker = Marker { [running] in
                if !running.withLock({ $0.wait(waiter) }) { waiter.resume() }
            }
            if arrive(marker) {
                marker.reached()
                goOn()
            }
        }
    }

    /// The oldest one that runs.
    var oldest: QueuedTask? {
        running.withLock { $0.oldest }
    }

    /// Whether `task` is one of those that run.
    func isRunning(_ task: UnsafeCurrentTask) -> Bool {
        running.withLock { $0.contains(task) }
    }
}
