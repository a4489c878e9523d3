import CSerialQueue
import Dispatch
import SerialQueue

/// What ``dispatchPrecondition(condition:file:line:)`` checks.
public enum DispatchPredicate: Sendable {
    /// The caller runs on the queue, or on one that targets it.
    case onQueue(DispatchQueue)
    /// The caller runs on the queue as a barrier.
    case onQueueAsBarrier(DispatchQueue)
    /// The caller does not run on the queue.
    case notOnQueue(DispatchQueue)
}

/// Traps if the condition does not hold, also in release builds, with a message that says where the caller runs.
///
/// For `onQueueAsBarrier` it suffices that the caller runs on the queue.
public func dispatchPrecondition(
    condition: @autoclosure () -> DispatchPredicate, file: StaticString = #fileID, line: UInt = #line
) {
    switch condition() {
    case .onQueue(let queue):
        if !queue.isCurrent { runsElsewhere("on queue \"\(queue.label)\"", file: file, line: line) }
    case .onQueueAsBarrier(let queue):
        if !queue.isCurrent { runsElsewhere("on queue \"\(queue.label)\" as a barrier", file: file, line: line) }
    case .notOnQueue(let queue):
        if queue.isCurrent { runsElsewhere("elsewhere than on queue \"\(queue.label)\"", file: file, line: line) }
    }
}

extension DispatchQueue {
    /// Whether the caller runs on the queue. The main thread is on the main queue also outside of closures.
    var isCurrent: Bool {
        queue.isCurrent || (pool is LoopPool && self === Home.current.main && MainLoop.isMainThread)
    }
}

/// Where the caller runs, for messages.
var whereabouts: String {
    sq_current_queue().map { "on queue \"\(String(cString: sq_queue_label($0)))\"" } ?? "on no queue"
}
