import SerialQueue

/// A group's wait without limit would end the program where these can throw.
private let longest = Duration.seconds(20_000_000_000)

extension Waiter {
    /// Blocks the thread until the end of the wait.
    func wait(within limit: Duration?) throws(SerialQueueError) {
        guard begin() else { return try check() }
        do {
            try group.wait(within: limit ?? longest)
        } catch {
            if withdraw() { throw named(error) }
        }
        try check()
    }

    /// Suspends the caller until the end of the wait.
    nonisolated(nonsending) func wait() async throws {
        guard begin() else { return try check() }
        do {
            try await group.wait()
        } catch {
            if withdraw() { throw error }
        }
        try check()
    }

    /// False: there is nothing to wait for, or the wait was refused.
    private func begin() -> Bool {
        OperationGraph.change { after in OperationGraph.begin(self, &after) }
    }

    /// False: the wait has just ended.
    func withdraw() -> Bool {
        guard OperationGraph.look({ OperationGraph.withdraw(self) }) else { return false }
        group.leave()
        return true
    }

    private func check() throws(SerialQueueError) {
        if let refusal = OperationGraph.look({ refusal }) { throw .deadlock(refusal) }
    }

    /// The queues' report names the queues; this adds the operation that waits.
    private func named(_ error: SerialQueueError) -> SerialQueueError {
        guard case .deadlock(let report) = error, let blocked else { return error }
        return .deadlock("operation \"\(blocked.label)\" waits for \"\(group.label)\": \(report)")
    }
}

// MARK: With the lock

extension OperationGraph {
    /// Registers the wait. False: it is over, or refused.
    static func begin(_ waiter: Waiter, _ after: inout Aftermath) -> Bool {
        switch waiter.target {
        case .operation(let node):
            guard node.stage != .ended else { return false }
            node.waiters.append(waiter)
        case .queue(let core):
            guard core.drain(waiter) else { return false }
        }
        waiter.group.enter()
        waiter.follow()
        if let blocked = waiter.blocked, blocked.stage == .running {
            blockedWaits.append(waiter)
            refuseStuck(from: waiter, &after)
        }
        return waiter.refusal == nil
    }

    /// False: it has ended.
    static func withdraw(_ waiter: Waiter) -> Bool {
        guard !waiter.hasEnded else { return false }
        switch waiter.target {
        case .operation(let node): node.waiters.removeAll { $0 === waiter }
        case .queue(let core): core.forget(waiter)
        }
        forget(waiter)
        return true
    }

    /// The wait has ended.
    static func forget(_ waiter: Waiter) {
        waiter.hasEnded = true
        if waiter.blocked != nil { blockedWaits.removeAll { $0 === waiter } }
    }
}
