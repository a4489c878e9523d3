import CSerialQueue
import CSerialQueueSwiftCall

/// What a ``SerialQueue`` and a ``ConcurrentQueue`` have in common: submitting closures, waiting for them, timers, shutting down.
///
/// Use it as a parameter's type where both kinds will do. Make one of its subclasses.
///
/// Releasing the last reference never blocks and loses nothing: accepted closures still run.
///
/// A queue object is a handle. Two handles are equal if they are of the same queue. All calls may be made from any thread.
public class WorkQueue: @unchecked Sendable {
    // Sendable because every call on an sq_queue_t is legal from any thread while the caller holds a reference
    // (the matrix in sq_queue.h). This object is that reference, and the pointer never changes. Unchecked because the class has
    // subclasses; they add no state.
    @usableFromInline package final let queue: OpaquePointer

    /// Takes over one reference from the caller.
    init(owning queue: OpaquePointer) {
        self.queue = queue
        SwiftABI.check
    }

    deinit {
        sq_queue_release(queue)
    }

    /// The label that the queue was made with.
    public final var label: String {
        withExtendedLifetime(self) { String(cString: sq_queue_label(queue)) }
    }

    /// The name of its type, for messages.
    final var kind: String {
        "\(type(of: self))"
    }
}

extension WorkQueue {
    /// The options of a queue on `pool`. Traps if `capacity` is not positive.
    static func options(
        _ label: String, on pool: WorkerPool?, priority: QueuePriority, capacity: Int?
    ) -> sq_queue_options_t {
        var options = sq_swift_queue_options()
        options.pool = pool?.pool
        options.priority = priority.inC
        if let capacity {
            guard capacity > 0 else { capacityIsNotPositive("\(self)", label, capacity) }
            options.capacity = capacity
        }
        return options
    }
}

extension WorkQueue: Hashable {
    /// Whether both handles stand for the same queue.
    public static func == (left: WorkQueue, right: WorkQueue) -> Bool {
        left.queue == right.queue
    }

    /// Hashes the identity of the queue.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(queue)
    }
}
