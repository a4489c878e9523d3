// Held.swift: a task that was enqueued, as the line of its queue sees it.
//
// Each item of an ordered queue is a Swift task of its own, so its priority, task-locals, cancellation and handle are Swift's
// business. All that is ours is to keep the task's first job until its turn has come. The executor that a new task's first
// job is given to is an object made for that one task; it keeps the job, and is a link in the line at the same time.

/// An executor that keeps one task's first job. `behind` and `job` belong to the arrivals' lock until the held is taken out,
/// then to the holder of the baton; the rest to the lock of ``Running``.
protocol Held: AnyObject, Sendable {
    /// The first job, until it is run.
    var job: UnownedJob? { get set }
    /// The next in the line.
    var behind: (any Held)? { get set }

    /// Runs the first job.
    func leave()

    /// Counted from 0 as they begin, which is as they were enqueued.
    var number: Int { get set }
    /// The task, while it runs.
    var task: UnsafeCurrentTask? { get set }
    /// Its neighbours among those that run. `older` is not retained, and need not be: it is in the list, too.
    var newer: (any Held)? { get set }
    var older: (any Held)? { get set }
}
