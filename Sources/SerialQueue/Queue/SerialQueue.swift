import CSerialQueue
import CSerialQueueSwiftCall

/// Runs closures one at a time, in the order in which they were submitted.
///
/// `async` leaves a closure for the queue's own thread and returns; `sync` runs it on the calling thread when its turn
/// has come. One order holds both. The thread starts with the first `async`: a queue used only with `sync` has none.
///
/// Dropping the last reference never blocks and loses nothing: accepted closures still run, then the thread ends.
///
/// A `SerialQueue` is a handle. Two handles are equal if they stand for the same queue, see ``current``.
///
/// Not for work that suspends: an actor does that. Many thousands of queues belong on a ``WorkerPool``, as each that was used
/// with `async` otherwise keeps a thread.
public final class SerialQueue: Sendable {
    // Sendable because every call on an sq_queue_t is legal from any thread while the caller holds a reference
    // (the matrix in sq_queue.h). This object is that reference, and the pointer never changes.
    @usableFromInline nonisolated(unsafe) let queue: OpaquePointer

    /// Takes over one reference of the caller's.
    init(owning queue: OpaquePointer) {
        self.queue = queue
    }

    deinit {
        sq_queue_release(queue)
    }
}

extension SerialQueue {
    /// Makes a queue; starts no thread.
    ///
    /// - Parameters:
    ///   - label: Names the queue in messages, and its thread in debuggers and `top`: of more than 15 bytes the part after the last dot.
    ///     Ends at the first NUL character, if there is one.
    ///   - pool: Whose threads run the `async` closures, such as ``WorkerPool/shared``; `nil`: a thread of the queue's own.
    ///   - capacity: How many `async` closures may wait; more are refused, or wait with ``async(waitingUpTo:_:)``. `nil`: as
    ///     many as there is memory for. Traps if it is not positive.
    ///   - stackSize: Bytes of stack for the queue's thread; `nil` for the system's default. Traps if no thread of the
    ///     system's can have such a stack. Closures run by `sync` use their caller's stack,
    ///     a pool's threads have the pool's.
    public convenience init(
        label: String = "", on pool: WorkerPool? = nil, capacity: Int? = nil, stackSize: Int? = nil
    ) {
        var options = sq_swift_queue_options()
        options.pool = pool?.pool
        if let capacity {
            guard capacity > 0 else { capacityIsNotPositive(label, capacity) }
            options.capacity = capacity
        }
        if let stackSize {
            // 0 means the default to C; here it is as wrong as any other number below the least.
            options.stack_size = stackSize > 0 ? stackSize : 1
        }
        let made = withExtendedLifetime(pool) { sq_queue_create(label, &options) }
        guard let queue = made else {
            cannotMakeQueue(label, stackSize: stackSize)
        }
        self.init(owning: queue)
    }

    /// The label that the queue was made with.
    public var label: String {
        withExtendedLifetime(self) { String(cString: sq_queue_label(queue)) }
    }
}

extension SerialQueue: Hashable {
    public static func == (left: SerialQueue, right: SerialQueue) -> Bool {
        left.queue == right.queue
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(queue)
    }
}
