import SerialQueue

/// A caller that waits for an operation, or for a queue's operations or progress.
///
/// It waits for a group of its own, which shows in reports under the label of what is waited for. One member of the group stands
/// for the wait: it enters when the wait is registered, and leaves at its end. If a task of a queue waits, there is a second
/// member (``tie(to:)``): it is behind the operation that has to end next, on the serial queue of that operation's lane. So the
/// deadlock detector of the queues knows what the wait needs.
///
/// Unchecked Sendable: the variables are under the lock of ``OperationGraph``; `refusal` is fixed after the member has left.
final class Waiter: @unchecked Sendable {
    /// What is waited for: its end, or that nothing of a queue is unfinished.
    enum Target {
        case operation(OperationNode)
        case queue(QueueCore)
    }

    let target: Target
    let group: WorkGroup
    /// The operation that cannot end before this wait has ended.
    let blocked: OperationNode?
    let deadline: ContinuousClock.Instant?
    /// A task of a queue waits, and may be part of a cycle.
    let isInTask: Bool
    /// Why the wait would never end.
    var refusal: String?
    /// The wait is over.
    var hasEnded = false

    init(for target: Target, within limit: Duration?, blocks: Bool) {
        self.target = target
        blocked = CurrentOperation.blocked
        isInTask = blocks && (blocked != nil || SerialQueue.current != nil)
        deadline = limit.map { ContinuousClock.now + $0 }
        let (label, pool) =
            switch target {
            case .operation(let node): (node.label, OperationGraph.look { node.core?.pool })
            case .queue(let core): (core.label, core.pool)
            }
        group = WorkGroup(label: label)
        // A member on a manual pool has the wait run what is ready there.
        if blocks, pool is ManualPool { SerialQueue(label: label, on: pool).async(in: group) {} }
    }
}

// MARK: With the lock

extension Waiter {
    /// Finds the operation that has to end next, and ties the wait to it, or has it do so when it starts or ends.
    func follow() {
        guard isInTask, !hasEnded, case .operation(var node) = target else { return }
        while true {
            if node.stage == .pending, let predecessor = node.predecessors.first(where: { $0.stage != .ended }) {
                node = predecessor
            } else if node.stage == .ready, let other = node.core!.onlyOne {
                node = other
            } else if let lane = node.lane, node.isOnThread {
                return tie(to: lane)
            } else {
                return node.followers.append(self)
            }
        }
    }

    /// Submits a member behind the operation of the lane. With the lock, so that the lane takes no other operation before.
    private func tie(to lane: Lane) {
        lane.isWatched = true
        lane.queue.async(in: group) { OperationGraph.look { self.follow() } }
    }
}
