/// Makes a queue usable as an actor's executor: the actor's jobs and the queue's closures share one order.
///
///     actor Store {
///         private let queue = SerialQueue(label: "com.example.store")
///         nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
///     }
///
/// So synchronous code can run on the actor with `queue.sync { store.assumeIsolated { … } }`.
///
/// Jobs run in FIFO order, whatever their priority. A job does not count towards the queue's capacity, and is never discarded: a shutdown
/// in mode `discard` also runs the waiting jobs. A job that is enqueued after the shutdown runs when the queue has ended, on the queue's
/// pool, or on a replacement thread if it has none or is on a ``LoopPool``. ``WorkQueue/sync(_:)`` is refused then, but the actor is still
/// isolated and the queue is current, as before.
///
/// Don't use this for an actor whose methods block for long: everything on the queue waits behind them. A `sync` from a task blocks one
/// of Swift's few threads until its turn; if the work ahead needs such a thread itself, use ``WorkQueue/run(_:)-(()->Result)``.
///
/// - Precondition: There is memory for the job, the queue's thread can be started, and the process is not the child of a `fork`.
///   Otherwise the program traps, with a message that names the queue: a job cannot be refused.
extension SerialQueue: SerialExecutor {
    /// Enqueues a job that is isolated to an actor on this queue. Swift's runtime calls this.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job), QueuedJob.onActor)
    }

    /// Returns the queue as an executor, for an actor's `unownedExecutor`.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        // Complex: two handles may stand for the same queue.
        UnownedSerialExecutor(complexEquality: self)
    }

    /// Whether both handles are of the same queue.
    public func isSameExclusiveExecutionContext(other: SerialQueue) -> Bool {
        self == other
    }

    /// Traps if the caller does not run on this queue, with a message that names both queues.
    ///
    /// `assumeIsolated` and `preconditionIsolated` of an actor don't call this: since Swift 6.2 they ask ``isIsolatingCurrentContext()``, and trap
    /// with a message of Swift's. That of `assumeIsolated` names the actor's type, that of `preconditionIsolated` has your text. For one that names
    /// the queues, call ``WorkQueue/preconditionIsCurrent(_:file:line:)`` before.
    public func checkIsolated() {
        preconditionIsCurrent("an actor's isolation was assumed")
    }

    /// Whether the caller runs on this queue, by `sync`, `async` or as a job.
    public func isIsolatingCurrentContext() -> Bool? {
        // Elsewhere `false`, not `nil`: then Swift would call `checkIsolated`, and lose the actor's type and the program's line and text.
        isCurrent
    }
}

/// Makes a queue usable as a task's executor, with `Task(executorPreference:)` or `withTaskExecutorPreference(_:operation:)`.
///
/// The task runs on the queue except where it is isolated to an actor with its own executor.
extension SerialQueue: TaskExecutor {
    /// Enqueues a job of a task that prefers this queue. Swift's runtime calls this as `TaskExecutor.enqueue(_:)`.
    // A separate witness, under another name: a task's job runs with the queue as its task executor. If it ran like an actor's
    // job, every call of a nonisolated async function would go through the queue again. Disfavoured, so that
    // `queue.enqueue(job)` means the other one.
    @_implements(TaskExecutor, enqueue(_:)) @_disfavoredOverload
    public func _enqueueJobOfTask(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job), QueuedJob.onTask)
    }
}
