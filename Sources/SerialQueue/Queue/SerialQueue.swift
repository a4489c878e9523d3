import CSerialQueue
import CSerialQueueSwiftCall

/// Runs closures one at a time, in the order in which they were submitted.
///
/// `async` submits a closure to the queue's own thread and does not wait. `sync` waits for its turn and runs the closure on the
/// calling thread. Both share one FIFO order. The thread starts with the first `async`: a queue that is only used with `sync` has
/// none.
///
/// Releasing the last reference never blocks and loses nothing: accepted closures still run, then the thread ends.
///
/// A `SerialQueue` is a handle. Two handles are equal if they are of the same queue, see ``current``. All calls may be made from any
/// thread. Most of them are those of its superclass, ``WorkQueue``.
///
/// The queue has a thread while it has something to run: the one that ran it last, if that is idle; else that of another idle queue, or a new
/// one. Don't rely on thread-local variables from one closure to a later one. If you have to, pass a `stackSize`:
/// such a queue keeps its thread. Or use a ``LoopPool``: its closures run on one thread of the program.
///
/// Don't use this for work that suspends: use an actor. Put many thousands of queues on a ``WorkerPool``; otherwise each queue that
/// is busy has a thread.
public final class SerialQueue: WorkQueue, @unchecked Sendable {
    // Sendable because WorkQueue is, and this class adds no state.
}

extension SerialQueue {
    /// Makes a queue; starts no thread.
    ///
    /// - Parameters:
    ///   - label: Names the queue in messages, and its thread in debuggers and `top`. Of a label of more than 15 bytes, the thread
    ///     gets the part after the last dot. The label ends at its first NUL character.
    ///   - pool: The pool whose threads run the `async` closures, such as ``WorkerPool/shared``; `nil`: the queue has its own
    ///     thread.
    ///   - priority: Among the queues of its pool; without a pool it has no effect.
    ///   - helps: Whether a `sync` caller of a higher class of service (see ``ServiceClass``) runs the closures ahead of it itself,
    ///     instead of waiting for threads that get less of the processor: `async` closures then leave the pool's threads. Without
    ///     a pool it has no effect.
    ///   - capacity: How many `async` closures may wait; more are refused, or wait for room in ``WorkQueue/async(waitingUpTo:_:)``. `nil`:
    ///     as many as there is memory for. Traps if it is not positive.
    ///   - stackSize: The stack size of the queue's thread in bytes, which it then keeps; `nil`: the system's default. Traps if no
    ///     thread can have such a stack. Closures run by `sync` use their caller's stack; on a pool, its threads have the pool's stack size.
    public convenience init(
        label: String = "", on pool: WorkerPool? = nil, priority: QueuePriority = .normal, helps: Bool = false,
        capacity: Int? = nil, stackSize: Int? = nil
    ) {
        var options = Self.options(label, on: pool, priority: priority, capacity: capacity)
        options.helps = helps
        if let stackSize {
            // In C, 0 means the default; here it is as invalid as any other size below the minimum.
            options.stack_size = stackSize > 0 ? stackSize : 1
        }
        let made = withExtendedLifetime(pool) { sq_queue_create(label, &options) }
        guard let queue = made else {
            cannotMakeQueue("SerialQueue", label, stackSize: stackSize)
        }
        self.init(owning: queue)
    }

    /// Not there: a queue's class of service is that of its pool.
    @available(*, unavailable, message: "the class of service is that of the pool: SerialQueue(label: label, on: .shared(.utility))")
    public convenience init(label: String = "", qos: ServiceClass) {
        fatalError()
    }

    /// Makes a queue that has a thread whenever it has something to run, of this class of service.
    package convenience init(label: String, threadsOf service: ServiceClass) {
        self.init(label: label)
        sq__queue_set_service(queue, service.inC)
    }
}
