// QueuedTask.swift: a task that was enqueued, as the line of its queue sees it.
//
// Each item of an ordered queue is a Swift task of its own, so its priority, task-locals, cancellation and handle are Swift's
// business. All that is ours is to keep the task's first job until its turn has come. The executor that a new task's first
// job is given to is an object made for that one task; it keeps the job, and the job waits here, in the line.

/// A link of the line.
///
/// Sendable because one party at a time writes a field: the enqueuing thread until it has put this into the line, then
/// the holder of the baton; what ``RunningTasks`` owns, under its lock.
@usableFromInline
class QueuedTask: @unchecked Sendable {
    /// The first job, until it is run.
    final var job: UnownedJob?
    /// How often everything had been cancelled when this one was enqueued.
    final var epoch = 0
    /// The next one in the line; in ``ArrivalStack`` the one before. Retained by hand.
    final var neighbour: Unmanaged<QueuedTask>?

    /// Counted from 0 as they begin. This and the following: owned by ``RunningTasks``.
    final var number = 0
    /// The task, while it runs.
    final var task: UnsafeCurrentTask?
    /// Its neighbours among those that run. `older` is not retained, and need not be: it is in the list, too.
    final var newer: QueuedTask?
    unowned(unsafe) final var older: QueuedTask?

    init() {}
}

/// Nobody's task, but one who waits for the line to come to this place.
///
/// Unchecked Sendable: adds a constant.
final class Marker: QueuedTask, @unchecked Sendable {
    let reached: @Sendable () -> Void

    init(_ reached: @escaping @Sendable () -> Void) {
        self.reached = reached
        super.init()
    }
}
