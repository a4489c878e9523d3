/// Why a call on an operation or on its queue failed. Nothing was done.
public enum WorkOperationError: Error, Hashable, Sendable {
    /// The operation would wait for itself: the labels from it, by what each depends on, back to itself.
    case cycle([String])
    /// The operation was added to a queue before.
    case alreadyAdded(String)
}

extension WorkOperationError: CustomStringConvertible {
    /// A message that names the operations.
    public var description: String {
        switch self {
        case .cycle(let labels):
            "A cycle of operations: " + labels.map { "\"\($0)\"" }.joined(separator: " depends on ") + "."
        case .alreadyAdded(let label):
            "Operation \"\(label)\" was already added to a queue. Add dependencies before that."
        }
    }
}

/// Ends the program because a lane got no memory, or the pool no thread.
func cannotRun(_ label: String) -> Never {
    fatalError("WorkOperationQueue \"\(label)\": no memory to run its operations, or no thread could be started.")
}

/// Ends the program because the width of a queue is not positive.
func widthIsNotPositive(_ label: String, _ width: Int) -> Never {
    fatalError("WorkOperationQueue \"\(label)\": with a width of \(width) nothing runs. Use nil for about one per processor.")
}

/// Ends the program because an operation would wait for itself.
func drainRefused(_ label: String, _ report: String) -> Never {
    fatalError("WorkOperationQueue.drain of \"\(label)\" would never end: \(report). Drain from outside of the queue's operations.")
}
