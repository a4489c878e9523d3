// QueuedTask.swift: an enqueued task, as an entry of its queue's line.
//
// Each entry of an ordered queue is its own Swift task, so Swift manages its priority, task-locals, cancellation and handle. This
// library only holds back the task's first job until its turn. The executor of that first job is an object made for this one task;
// it keeps the job while it waits in the line.

/// An entry of the line.
///
/// Sendable because one thread at a time accesses a field: the enqueuing thread until it has added this to the line, then the
/// holder of the baton. The fields of ``RunningTasks`` are accessed under its lock.
@usableFromInline
class QueuedTask: @unchecked Sendable {
    /// The first job, until it is run.
    final var job: UnownedJob?
    /// The number of `cancelAll` calls before this task was enqueued.
    final var epoch = 0
    /// The next entry of the line; in ``ArrivalStack`` the previous one. Retained by hand.
    final var neighbour: Unmanaged<QueuedTask>?

    /// How many tasks began before this one. This field and the following belong to ``RunningTasks``.
    final var number = 0
    /// The task, while it runs.
    final var task: UnsafeCurrentTask?
    /// The next and the previous running task. `older` is not retained, because the list already retains it.
    final var newer: QueuedTask?
    unowned(unsafe) final var older: QueuedTask?

    init() {}
}

/// An entry without a task: a caller that waits until the line has reached it.
///
/// Unchecked Sendable: adds a constant.
final class Marker: QueuedTask, @unchecked Sendable {
    let reached: @Sendable () -> Void

    init(_ reached: @escaping @Sendable () -> Void) {
        self.reached = reached
        super.init()
    }
}
