import Synchronization

/// The tasks of one ordered queue, from ``arrive(_:)`` over ``begin(_:)`` to ``end(_:)``. Who lets the next one begin, and when,
/// is the queue's rule.
@usableFromInline
final class Line: Sendable {
    private let arrivals = Arrivals()
    private let running = Locked(Running())
    /// How often everything was cancelled.
    private let epoch = Atomic(0)
    /// Taken out of the arrivals, and not yet begun; retained. Only the holder of the baton touches it, and the baton is passed
    /// on by atomics or the start of a job.
    nonisolated(unsafe) private var taken: Unmanaged<Held>?

    /// Enqueues. `true`: the caller has the baton, and lets `held` leave.
    func arrive(_ held: Held) -> Bool {
        held.epoch = epoch.load(ordering: .sequentiallyConsistent)
        return arrivals.arrive(held)
    }

    /// The next task, for the holder of the baton. `nil`: there is none, and the caller does not hold the baton any more.
    func next() -> Held? {
        while let held = (taken ?? arrivals.takeAll())?.takeRetainedValue() {
            taken = held.neighbour.take()
            guard let marker = held as? Marker else { return held }
            marker.reached()
        }
        return nil
    }

    /// Notes that `held` begins, in the current task, which is cancelled if it ought to be.
    func begin(_ held: Held) {
        withUnsafeCurrentTask { task in
            if running.withLock({ $0.begin(held, in: task) }) { task?.cancel() }
        }
    }

    /// Notes that `held` ends.
    func end(_ held: Held) {
        for waiter in running.withLock({ $0.end(held) }) { waiter.resume() }
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
        await withUnsafeContinuation { (waiter: Running.Waiter) in
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
    var oldest: Held? {
        running.withLock { $0.oldest }
    }

    /// Whether `task` is one of those that run.
    func isRunning(_ task: UnsafeCurrentTask) -> Bool {
        running.withLock { $0.contains(task) }
    }
}
