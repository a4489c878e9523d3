import CSerialQueue
import CSerialQueueSwiftCall

/// An actor whose `unownedExecutor` is a queue shares one order with the closures of ``async(_:)`` and
/// ``sync(_:)``:
///
///     actor Store {
///         private let queue = SerialQueue(label: "com.example.store")
///         nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
///     }
///
/// So synchronous code can run on the actor with `queue.sync { store.assumeIsolated { … } }`.
///
/// Jobs run first come, first served, whatever their priority: an urgent one does not overtake what was accepted before
/// it. A job needs no room in a queue of limited capacity, and is never discarded: a shutdown in mode `discard`, too, runs
/// those that wait. One that comes after the shutdown runs when the queue has ended, on a thread that stands in for the
/// queue's (on a ``ManualPool``, when that is run); then ``sync(_:)`` is refused, but the actor is isolated, and the queue is current, as before.
///
/// Don't use it for an actor whose methods block for long: everything on the queue waits behind them. A `sync` from a task blocks one
/// of Swift's few threads until its turn; if the work ahead needs such a thread itself, use ``run(_:)``.
///
/// - Precondition: There is memory for the job, and the queue's thread can be started, and the process is not the child of
///   a `fork`. Otherwise the program traps, with a message that names the queue: a job cannot be refused.
extension SerialQueue: SerialExecutor {
    /// Called by Swift's runtime: takes over a job that is isolated to an actor on this queue, for its turn.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job), QueuedJob.onActor, late: QueuedJob.lateOnActor)
    }

    /// What an actor's `unownedExecutor` returns.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        // Complex: two handles may stand for the same queue.
        UnownedSerialExecutor(complexEquality: self)
    }

    /// Whether the other handle is of the same queue.
    public func isSameExclusiveExecutionContext(other: SerialQueue) -> Bool {
        self == other
    }

    /// Traps if the caller is not isolated to this queue; what `assumeIsolated` and `preconditionIsolated` ask.
    public func checkIsolated() {
        preconditionIsCurrent("an actor's isolation was assumed")
    }

    /// Whether the caller runs on this queue, by `sync`, `async` or as a job.
    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    private func enqueue(_ job: UnownedJob, _ run: QueuedJob.Run, late: QueuedJob.Run) {
        let status = QueuedJob.submit(job, of: self, to: queue, run)
        if status == 0 { return }
        guard status == SQ_SWIFT_ESHUTDOWN else { jobRefused(status) }
        AfterShutdown.enqueue(job, for: self, late)
    }
}

/// A task that prefers a queue, by `Task(executorPreference:)` or `withTaskExecutorPreference(_:operation:)`, runs on it
/// wherever it is not isolated to an actor that has an executor of its own.
extension SerialQueue: TaskExecutor {
    /// Called by Swift's runtime, as `TaskExecutor.enqueue(_:)`: takes over a job of a task that prefers this queue.
    // A witness of its own, under another name: a task's job is run with the queue as its task executor. With the actor's
    // way for both, every call of a nonisolated async function would go through the queue once more. Disfavoured, so that
    // `queue.enqueue(job)` means the other one.
    @_implements(TaskExecutor, enqueue(_:)) @_disfavoredOverload
    public func _enqueueJobOfTask(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job), QueuedJob.onTask, late: QueuedJob.lateOnTask)
    }
}
