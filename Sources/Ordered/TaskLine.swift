import SerialQueue
import Synchronization

/// The tasks of one ordered queue, from ``arrive(_:)`` through ``begin(_:)`` to ``end(_:)``. The queue decides when the next task
/// begins.
@usableFromInline
final class TaskLine: Sendable {
    private let arrivals = ArrivalStack()
    private let running = QueueLocked(RunningTasks())
    /// The number of `cancelAll` calls.
    private let epoch = Atomic(0)
    /// Tasks that were taken from the arrivals and have not begun; retained. Only the holder of the baton accesses it, and the baton
    /// is passed by atomics or by the start of a job.
    nonisolated(unsafe) private var taken: Unmanaged<QueuedTask>?

    /// Enqueues. Returns `true` if the caller now has the baton and must start `queued`.
    func arrive(_ queued: QueuedTask) -> Bool {
        // Relaxed: a task that is enqueued after a `cancelAll` returned sees its epoch, because a single atomic is coherent.
        queued.epoch = epoch.load(ordering: .relaxed)
        return arrivals.arrive(queued)
    }

    /// The next task, for the holder of the baton. `nil`: there is none, and the caller no longer holds the baton.
    func next() -> QueuedTask? {
        while let queued = (taken ?? arrivals.takeAll())?.takeRetainedValue() {
            taken = queued.neighbour.take()
            guard let marker = queued as? Marker else { return queued }
            marker.reached()
        }
        return nil
    }

    /// Records that `queued` begins, in the current task, and cancels it if `cancelAll` was called while it waited.
    func begin(_ queued: QueuedTask) {
        withUnsafeCurrentTask { task in
            if running.withLock({ $0.begin(queued, in: task) }) { task?.cancel() }
        }
    }

    /// Records that `queued` ends.
    func end(_ queued: QueuedTask) {
        for waiter in running.withLock({ $0.end(queued) }) { waiter.resume() }
    }

    /// Cancels everything that has been enqueued so far.
    func cancelAll() {
        // Relaxed: the lock orders this and a task that begins.
        let epoch = epoch.add(1, ordering: .relaxed).newValue
        // Without the lock, because this runs cancellation handlers. A task may have ended by then: it is retained, and cancelling
        // it has no effect.
        for task in running.withLock({ $0.cancelled(by: epoch) }) { task.cancel() }
    }

    /// Waits until everything enqueued so far has ended. If the caller gets the baton, calls `startNext`, which starts the next task.
    nonisolated(nonsending) func drain(startNext: () -> Void) async {
        await withUnsafeContinuation { caller in wait(.caller(caller), startNext) }
    }

    /// The same, for a caller that may leave. The line keeps its marker until it is reached.
    nonisolated(nonsending) func drain(within limit: Duration?, startNext: () -> Void) async throws {
        try Task.checkCancellation()
        let item = WorkItem(label: "drain") {}
        wait(.item(item), startNext)
        do {
            try await item.awaitEnd(within: limit)
        } catch {
            // It was cancelled before: if the marker is reached later, it adds no waiter.
            running.withLock { $0.leave(item) }
            throw error
        }
    }

    private func wait(_ waiter: RunningTasks.Waiter, _ startNext: () -> Void) {
        let marker = Marker { [running] in
            if !running.withLock({ $0.wait(waiter) }) { waiter.resume() }
        }
        if arrive(marker) {
            marker.reached()
            startNext()
        }
    }

    /// The oldest running task.
    var oldest: QueuedTask? {
        running.withLock { $0.oldest }
    }

    /// Whether `task` is running here.
    func isRunning(_ task: UnsafeCurrentTask) -> Bool {
        running.withLock { $0.contains(task) }
    }
}
