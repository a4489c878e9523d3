// QueuedTask.swift: an enqueued task, as an entry of its queue's line.
//
// Each item of an ordered queue is a Swift task of its own, so Swift manages its priority, task-locals, cancellation and handle. This
// library only keeps the task's first job until its turn. The executor of that first job is an object made for this one task; it
// keeps the job while it waits in the line.

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

/// Not a task: a caller that waits until the line has come to this entry.
///
/// Unchecked Sendable: adds a constant.
final class Marker: QueuedTask, @unchecked Sendable {
    let reached: @Sendable () -> Void

    init(_ reached: @escaping @Sendable () -> Void) {
        self.reached = reached
        super.init()
    }
}
