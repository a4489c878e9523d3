import Synchronization

/// The tasks of one ordered queue, from ``arrive(_:)`` through ``begin(_:)`` to ``end(_:)``. The queue decides when the next one
/// begins.
@usableFromInline
final class TaskLine: Sendable {
    private let arrivals = ArrivalStack()
    private let running = QueueLocked(RunningTasks())
    /// How often everything was cancelled.
    private let epoch = Atomic(0)
    /// Taken out of the arrivals and not begun yet; retained. Only the holder of the baton accesses it, and the baton is passed
    /// by atomics or by the start of a job.
    nonisolated(unsafe) private var taken: Unmanaged<QueuedTask>?

    /// Enqueues. `true`: the caller has the baton, and starts `queued`.
    func arrive(_ queued: QueuedTask) -> Bool {
        // Relaxed: a task enqueued after a `cancelAll` returned sees its epoch, as one atomic is coherent.
        queued.epoch = epoch.load(ordering: .relaxed)
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

    /// Notes that `queued` begins, in the current task, and cancels it if `cancelAll` was called for it.
    func begin(_ queued: QueuedTask) {
        withUnsafeCurrentTask { task in
            if running.withLock({ $0.begin(queued, in: task) }) { task?.cancel() }
        }
    }

    /// Notes that `queued` ends.
    func end(_ queued: QueuedTask) {
        for waiter in running.withLock({ $0.end(queued) }) { waiter.resume() }
    }

    /// Cancels what has been enqueued so far.
    func cancelAll() {
        // Relaxed: the lock decides between a task that begins and this.
        let epoch = epoch.add(1, ordering: .relaxed).newValue
        // Cancelled without the lock, as that runs cancellation handlers. A task may have ended by then: it is retained, and
        // cancelling it does nothing.
        for task in running.withLock({ $0.cancelled(by: epoch) }) { task.cancel() }
    }

    /// Waits until everything enqueued so far has ended. `goOn` is called if the caller gets the baton: it starts the next task.
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
