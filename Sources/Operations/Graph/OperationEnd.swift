// OperationEnd.swift: how operations end. With the lock.

extension OperationGraph {
    /// Adds an operation that depends on `predecessors` to a queue. As nothing depends on it yet, this closes no cycle.
    static func add(
        _ node: OperationNode, after predecessors: [OperationNode], to core: QueueCore, _ after: inout Aftermath
    ) {
        core.add(node, failure: depend(node, on: predecessors), &after)
        if core.isDrainedByOperation { refuseStuck(from: .operation(node), &after) }
    }

    /// Makes a new operation depend on `predecessors`. Returns the failure of one of them, if the operation must end with it.
    static func depend(_ node: OperationNode, on predecessors: [OperationNode]) -> (any Error)? {
        var failure: (any Error)?
        for predecessor in predecessors {
            if predecessor.stage != .ended {
                _ = link(node, after: predecessor)
            } else if failure == nil, !node.runsAfterFailure {
                failure = predecessor.failure
            }
        }
        return failure
    }

    /// Makes an operation that is in no queue depend on another one. Returns why that is refused.
    static func add(
        _ predecessor: OperationNode, to node: OperationNode, _ after: inout Aftermath
    ) -> WorkOperationError? {
        if node.isAdded { return .alreadyAdded(node.label) }
        if node.stage == .ended { return nil }
        if predecessor.stage != .ended { return link(node, after: predecessor).map { .cycle($0) } }
        if let failure = predecessor.failure, !node.runsAfterFailure { end(node, failure, &after) }
        return nil
    }

    /// Cancels the operation. A running or ended operation does not change, but a running one can check that it was cancelled.
    static func cancel(_ node: OperationNode, _ after: inout Aftermath) {
        node.flags.bitwiseOr(OperationNode.cancelled, ordering: .relaxed)
        switch node.stage {
        case .ended: break
        case .running: if let task = node.task { after.cancelled.append(task) }
        case .made, .pending, .ready: end(node, CancellationError(), &after)
        }
    }

    /// Ends an operation that has not started, and with it those that depend on its success, and so on.
    static func end(_ node: OperationNode, _ failure: any Error, _ after: inout Aftermath) {
        node.failure = failure
        end([node], &after)
    }

    /// Ends an operation that has run.
    static func finish(_ node: OperationNode, _ after: inout Aftermath) {
        var failed: [OperationNode] = []
        publish(node, &after, &failed)
        if !failed.isEmpty { end(failed, &after) }
    }

    /// Ends operations that have not started; their failures are set already.
    private static func end(_ nodes: [OperationNode], _ after: inout Aftermath) {
        var ending = nodes, next = 0
        while next < ending.count {
            let node = ending[next]
            next += 1
            if node.stage != .made { node.core!.remove(node) }
            publish(node, &after, &ending)
        }
        after.discarded += ending
    }

    /// Publishes the outcome, and cuts the links. Operations that must end, too, are added to `failed`, with their failure set.
    private static func publish(_ node: OperationNode, _ after: inout Aftermath, _ failed: inout [OperationNode]) {
        node.step(.ends)
        for successor in node.successors {  // one that has ended was cancelled, and has its failure
            successor.unfinished -= 1
            if let failure = node.failure, !successor.runsAfterFailure {
                guard successor.failure == nil else { continue }
                successor.failure = failure
                failed.append(successor)
            } else if successor.unfinished == 0, successor.stage == .pending {
                successor.core!.becomeReady(successor, &after)
            }
        }
        after.released(&node.predecessors)
        after.released(&node.successors)
        after.ended(&node.waiters)
        if let task = node.task.take() { after.tasks.append(task) }
        node.lane = nil
        if !node.followers.isEmpty { after.changed(node) }
        node.flags.bitwiseOr(OperationNode.ended, ordering: .releasing)
        if let core = node.core.take() {
            core.countEnd(&after)
            after.cores.append(core)
        }
    }
}
