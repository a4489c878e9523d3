/// Which of the operations that are ready start first. Those of one priority start in the order in which they became ready.
///
/// A priority has no influence on operations that have started, nor on predecessors: give those the priority, too.
public enum OperationPriority: UInt8, Sendable, Hashable, CaseIterable, Comparable {
    /// After all others.
    case low
    /// The default.
    case normal
    /// Before all others.
    case high

    /// Whether `left` is the lower priority.
    public static func < (left: OperationPriority, right: OperationPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// Makes an operation run although a predecessor failed or was cancelled: pass `runs: .evenAfterFailure`.
public struct EvenAfterFailure: Sendable {
    private init() {}

    /// The closure gets a `Result` of each predecessor.
    public static let evenAfterFailure = EvenAfterFailure()
}
