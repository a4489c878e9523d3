import SerialQueue

/// The path from what is waited for to the operation that has to end next. On it, each operation needs the next one.
///
/// Each operation on it has the wait among its `followers`, so each change of one of them makes the wait look again, from there
/// on: a chain of n operations costs n steps in all. With the lock of ``OperationGraph``.
struct WaitPath {
    struct Step {
        let node: OperationNode
        /// Predecessors before this one have ended.
        var predecessor = 0
    }

    fileprivate(set) var steps: [Step] = []
    /// Queues that have the wait among their `followers`.
    fileprivate var cores: [QueueCore] = []
}

extension Waiter {
    /// Finds the operation that has to end next, and ties the wait to its lane. If it was tied to another
    /// lane before, the caller looks again.
    func follow(_ after: inout Aftermath) {
        guard blocks, !hasEnded, let item else { return }
        let next = nextLane(&after)
        if next === lane { return }
        if lane != nil { return wake(&after) }
        lane = next
        // Under the lock, so that the lane takes no other operation before. If there is no memory, a deadlock is not found.
        next!.queue.async(item)
    }

    /// Wakes the caller, which returns if the wait is over, and otherwise begins again.
    func wake(_ after: inout Aftermath) {
        if let item = item.take() { after.items.append(item) }
        lane = nil
    }

    /// The lane of the operation that has to end next. `nil`: there is none now.
    private func nextLane(_ after: inout Aftermath) -> Lane? {
        leaveCores()
        if case .queue(let core) = target {
            if lane == nil { forgetPath(&after) }
            if let lane = find(&after) { return lane }
            follow(core)
            return nil
        }
        return find(&after)
    }

    private func find(_ after: inout Aftermath) -> Lane? {
        while true {
            OperationGraph.followed += 1
            guard let node = path.steps.last?.node else {
                guard let first = first() else { return nil }
                push(first)
                continue
            }
            switch node.stage {
            case .ended: pop(&after)
            case .made: return nil
            case .pending: push(unfinishedPredecessor(of: node))
            case .running: return node.isOnThread ? node.lane : nil
            case .ready:
                guard let other = node.core!.onlyOne else {
                    follow(node.core!)
                    return nil
                }
                push(other)
            }
        }
    }

    private func first() -> OperationNode? {
        switch target {
        case .operation(let node): node.stage == .ended ? nil : node
        case .queue(let core): core.nextToEnd(on: lane)
        }
    }

    /// A predecessor of the last node of the path that has not ended.
    private func unfinishedPredecessor(of node: OperationNode) -> OperationNode {
        let last = path.steps.count - 1
        while node.predecessors[path.steps[last].predecessor].stage == .ended { path.steps[last].predecessor += 1 }
        return node.predecessors[path.steps[last].predecessor]
    }

    private func push(_ node: OperationNode) {
        path.steps.append(WaitPath.Step(node: node))
        node.followers.append(self)
    }

    /// Removes the last node of the path, whose reference may be the last one.
    private func pop(_ after: inout Aftermath) {
        let node = path.steps.removeLast().node
        node.followers.removeAll { $0 === self }
        after.released(node)
    }

    private func follow(_ core: QueueCore) {
        guard !path.cores.contains(where: { $0 === core }) else { return }
        path.cores.append(core)
        core.followers.append(self)
    }

    private func leaveCores() {
        for core in path.cores { core.followers.removeAll { $0 === self } }
        path.cores = []
    }

    /// Called when the stage of the operation has changed, and with it what the wait needs from there on.
    fileprivate func cut(after node: OperationNode, _ after: inout Aftermath) {
        while path.steps.last!.node !== node { pop(&after) }
    }

    /// Forgets the path: the wait needs nothing more.
    func forgetPath(_ after: inout Aftermath) {
        leaveCores()
        while !path.steps.isEmpty { pop(&after) }
    }
}

extension Aftermath {
    /// Called when the stage of the operation has changed. Waits that follow it look again before the lock is released, but not
    /// now, because the caller may be in the middle of a change.
    mutating func changed(_ node: OperationNode) {
        let followers = node.followers
        for waiter in followers { waiter.cut(after: node, &self) }
        self.followers += followers
    }

    /// Called when the queue has started an operation.
    mutating func changed(_ core: QueueCore) {
        followers += core.followers
    }

    /// Makes these waits look again. Called with the lock, after all changes.
    mutating func follow() {
        while let waiter = followers.popLast() { waiter.follow(&self) }
    }
}
