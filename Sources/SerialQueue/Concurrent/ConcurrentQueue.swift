import CSerialQueue

/// Runs closures at the same time, except barriers, which run alone: readers and writers.
///
/// Closures leave the queue in the order in which they were submitted. `async` closures run on a pool, several at a time; `sync` runs its
/// closure on the calling thread. A barrier, submitted by ``asyncBarrier(_:)`` or ``syncBarrier(_:)``, waits for all closures
/// before it and runs before all after it. No closure that is in the queue overtakes a waiting barrier.
///
/// ```swift
/// let entries = BarrierIsolated([String: Int](), on: ConcurrentQueue(label: "com.example.cache"))
/// entries.syncBarrier { $0["one"] = 1 }
/// let one = entries.sync { $0["one"] }
/// ```
///
/// In a closure that is not a barrier, ``WorkQueue/sync(_:)`` on the same queue runs at once, also while a barrier waits. A barrier
/// from there (an upgrade) would wait for itself: it traps, or throws `deadlock`. In a barrier every wait for the queue is refused,
/// except ``WorkQueue/syncOrRun(_:)``.
///
/// Timers, the closures of `async(in:_:)` and `notify(on:_:)`, and work items that are not made as barriers are none. An actor cannot run on this
/// queue, because it would not be isolated; a task can prefer it as its executor.
///
/// Don't use this where most closures change the state, or take less than a microsecond: a ``SerialQueue`` is faster there. Don't use
/// it to run much at the same time without barriers: use queues on a ``WorkerPool``, or ``WorkerPool/apply(_:_:)-method``.
public final class ConcurrentQueue: WorkQueue, @unchecked Sendable {
    // Sendable because WorkQueue is, and this class adds no state.
}

extension ConcurrentQueue {
    /// Makes a queue; starts no thread.
    ///
    /// - Parameters:
    ///   - label: Names the queue in messages. It ends at its first NUL character.
    ///   - width: How many `async` closures run at a time; `nil`: as many as the pool runs. Closures of `sync` bring their own
    ///     thread and do not count. With 1 the queue is a serial one: every closure is a barrier. Traps if it is not positive.
    ///   - pool: The pool whose threads run the `async` closures. Traps if it is a ``LoopPool``, unless the width is 1.
    ///   - priority: Among the queues of its pool.
    ///   - capacity: How many `async` closures may wait; more are refused, or wait for room in
    ///     ``WorkQueue/async(waitingUpTo:_:)``. `nil`: as many as there is memory for. Traps if it is not positive.
    public convenience init(
        label: String = "", width: Int? = nil, on pool: WorkerPool = .shared, priority: QueuePriority = .normal,
        capacity: Int? = nil
    ) {
        var options = Self.options(label, on: pool, priority: priority, capacity: capacity)
        guard (width ?? 1) > 0 else { widthIsNotPositive(label, width!) }
        guard width == 1 || !(pool is LoopPool) else { loopIsSerial(label) }
        options.width = width ?? widthOfPool
        let made = withExtendedLifetime(pool) { sq_queue_create(label, &options) }
        guard let queue = made else { cannotMakeQueue("ConcurrentQueue", label) }
        self.init(owning: queue)
    }

    /// How many `async` closures run at a time at most; `nil`: as many as the pool runs.
    public var width: Int? {
        let width = withExtendedLifetime(self) { sq_queue_width(queue) }
        return width == widthOfPool ? nil : width
    }

    /// A queue that the whole program shares, for work that needs no barriers: one for each class, on ``WorkerPool/shared(_:)``.
    ///
    /// Don't suspend it, shut it down or submit barriers to it: other parts of the program use it, too.
    public static func global(_ service: ServiceClass = .default) -> ConcurrentQueue {
        switch service {
        case .default: globalDefault
        case .interactive: globalInteractive
        case .utility: globalUtility
        case .background: globalBackground
        }
    }

    private static let globalDefault = ConcurrentQueue(label: "global", on: .shared)
    private static let globalInteractive = ConcurrentQueue(label: "global interactive", on: .shared(.interactive))
    private static let globalUtility = ConcurrentQueue(label: "global utility", on: .shared(.utility))
    private static let globalBackground = ConcurrentQueue(label: "global background", on: .shared(.background))

    /// The queue of the innermost closure that this thread is running; `nil` if there is none, or if it is a ``SerialQueue``, as which a
    /// queue of width 1 counts.
    ///
    /// Compare it with `==`, not `===`: the result is another handle of the same queue.
    public static var current: ConcurrentQueue? {
        innermost as? ConcurrentQueue
    }
}

/// Makes a queue usable as a task's executor, with `Task(executorPreference:)` or `withTaskExecutorPreference(_:operation:)`.
///
/// The jobs of the task run on the queue's pool, as closures that are not barriers, except where the task is isolated to an actor. Jobs are
/// never discarded, and take no room. After the queue's shutdown they run one at a time when the queue has ended.
///
/// - Precondition: As for a ``SerialQueue``: there is memory for the job, a thread can be started, and this is not the child of a `fork`.
extension ConcurrentQueue: TaskExecutor {
    /// Enqueues a job of a task that prefers this queue. Swift's runtime calls this.
    public func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job), QueuedJob.onConcurrentTask)
    }
}

/// SQ_WIDTH_POOL, which is SIZE_MAX; Swift imports a `size_t` as an `Int`.
private let widthOfPool = Int(bitPattern: .max)
