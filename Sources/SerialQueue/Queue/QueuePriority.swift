import CSerialQueue

/// The priority of a queue among the queues of one pool.
///
/// Queues of the same priority are served in the order in which they became ready; on a pool of more than two threads, in about that order. Queues of a lower priority get at least one batch in 64,
/// so their wait is bounded. A running batch is not interrupted: a queue of high priority waits for its end, about a millisecond. The
/// priority does not change the order within a queue.
///
/// ```swift
/// let clicks = SerialQueue(label: "clicks", on: .shared, priority: .high)
/// ```
public enum QueuePriority: UInt8, Sendable, Hashable, CaseIterable, Comparable {
    /// The queue runs when no other queue is ready; besides, one batch of closures in 64 is of such queues.
    case low
    /// The default.
    case normal
    /// The queue runs before all others that are ready.
    case high

    /// Whether `left` is the lower priority.
    public static func < (left: QueuePriority, right: QueuePriority) -> Bool {
        left.rawValue < right.rawValue
    }

    var inC: sq_priority_t {
        switch self {
        case .low: SQ_PRIORITY_LOW
        case .normal: SQ_PRIORITY_NORMAL
        case .high: SQ_PRIORITY_HIGH
        }
    }
}
