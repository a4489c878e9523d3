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
public func dispatchPrecondition(
    condition: @autoclosure () -> DispatchPredicate, file: StaticString = #fileID, line: UInt = #line
) {
    switch condition() {
    case .onQueue(let queue):
        if !queue.isCurrent { runsElsewhere("on queue \"\(queue.label)\"", file: file, line: line) }
    case .onQueueAsBarrier(let queue):
        if !queue.isHeldAlone { runsElsewhere("on queue \"\(queue.label)\" as a barrier", file: file, line: line) }
    case .notOnQueue(let queue):
        if queue.isCurrent { runsElsewhere("elsewhere than on queue \"\(queue.label)\"", file: file, line: line) }
    }
}

extension DispatchQueue {
    /// Whether the caller runs on the queue. The main thread is on the main queue also outside of closures.
    var isCurrent: Bool {
        if let made, made.isCurrent { return true }
        if role == .main { return manual == nil && MainLoop.isMain }
        // The core does not know each target: a global queue is a pool for it.
        return QueueRecord.current?.andTargets.contains { $0 === record } ?? false
    }

    /// Whether the caller runs on the queue, and no other closure does.
    fileprivate var isHeldAlone: Bool {
        guard isCurrent, let queue = queue as? ConcurrentQueue else { return isCurrent }
        // It refuses a sync in a barrier only.
        do { try queue.sync(within: .zero) {} } catch SerialQueueError.deadlock { return true } catch {}
        return false
    }
}

/// Where the caller runs, for messages.
var whereabouts: String {
    (SerialQueue.current?.label ?? ConcurrentQueue.current?.label).map { "on queue \"\($0)\"" } ?? "on no queue"
}
