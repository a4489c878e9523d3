import SerialQueue

/// A caller that waits for an operation, or for a queue's operations or progress.
///
/// A caller that blocks waits for a `WorkItem` that does nothing. Its label, which reports show, is that of what is waited for.
/// The end of the wait cancels the item. The item is also submitted behind the operation that has to end next, on the serial queue
/// of that operation's lane: so the deadlock detector of the queues knows what the wait needs (``follow(_:)``). If that changes, the
/// item is cancelled, too, and the caller waits for another one.
///
/// Unchecked Sendable: the variables are under the lock of ``OperationGraph``; `refusal` is fixed after the end.
final class Waiter: @unchecked Sendable {
    /// What is waited for: the end of an operation, or of all operations of a queue, or progress.
    enum Target {
        case operation(OperationNode)
        case queue(QueueCore)
    }

    let target: Target
    /// The operation that cannot end before this wait has ended.
    let blocked: OperationNode?
    let deadline: ContinuousClock.Instant?
    /// Whether the caller's thread waits. It may be in a task of a queue or in a `Once`, and so part of a cycle.
    let blocks: Bool
    /// Why the wait would never end.
    var refusal: String?
    /// Whether the wait is over.
    var hasEnded = false
    /// The item that the caller waits for. `nil`: it has not begun, or is about to look again.
    var item: WorkItem?
    /// A caller that waits without an item, and cannot be refused.
    var caller: UnsafeContinuation<Void, Never>?
    /// The lane to whose queue the item was submitted.
    var lane: Lane?
    /// What the wait needs, see ``follow(_:)``.
    var path = WaitPath()

    init(for target: Target, within limit: Duration?, blocks: Bool) {
        self.target = target
        blocked = CurrentOperation.blocked
        self.blocks = blocks
        deadline = limit.map { ContinuousClock.now + $0 }
    }

    var label: String {
        switch target {
        case .operation(let node): node.label
        case .queue(let core): core.label
        }
    }
}
