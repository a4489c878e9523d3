import CSerialQueue.Private
import SerialQueue

extension Waiter {
    /// Blocks the thread until the end of the wait.
    func wait(within limit: Duration?) throws(SerialQueueError) {
        guard begin() else { return try check() }
        if let pool = pool as? ManualPool, !sq__is_explored() { pool.run() }
        while let item = next() {
            do {
                try item.wait(within: deadline.map { $0 - .now })
            } catch .cancelled {
                // The end, or something has changed.
            } catch {
                if withdraw() { throw named(error) }
            }
        }
        try check()
    }

    /// Suspends the caller until the end of the wait. If it is cancelled, or after the limit, it leaves.
    nonisolated(nonsending) func awaitEnd(within limit: Duration?) async throws {
        guard begin() else { return try check() }
        if let item = next() {
            do {
                try await item.awaitEnd(within: limit)
            } catch {
                if withdraw() { throw error }
            }
        }
        try check()
    }

    /// Suspends the caller until the end of the wait. Cannot be cancelled, nor refused.
    nonisolated(nonsending) func waitUncancelled() async {
        await withUnsafeContinuation { caller in
            let waits = OperationGraph.change { after in
                self.caller = caller
                return OperationGraph.begin(self, &after)
            }
            if !waits { caller.resume() }
        }
        // For ThreadSanitizer, which does not see that the resumption has ordered it.
        OperationGraph.look {}
    }

    /// The pool whose queue must run. If it is a manual pool, the caller may have to run it.
    private var pool: WorkerPool? {
        switch target {
        case .operation(let node): OperationGraph.look { node.core?.pool }
        case .queue(let core): core.pool
        }
    }

    /// Begins the wait. False: there is nothing to wait for, or the wait was refused.
    private func begin() -> Bool {
        OperationGraph.change { after in OperationGraph.begin(self, &after) }
    }

    /// What the caller has to wait for; `nil`: nothing, the wait is over.
    func next() -> WorkItem? {
        let item = WorkItem(label: label) {}
        let waits = OperationGraph.change { after in
            guard !hasEnded else { return false }
            self.item = item
            lane = nil
            follow(&after)
            return true
        }
        return waits ? item : nil
    }

    /// Ends the wait after its time limit or a cancellation. False: it has just ended by itself.
    func withdraw() -> Bool {
        OperationGraph.change { after in OperationGraph.withdraw(self, &after) }
    }

    private func check() throws(SerialQueueError) {
        if let refusal = OperationGraph.look({ refusal }) { throw .deadlock(refusal) }
    }

    /// The queues' report names the queues; this adds the operation that waits.
    private func named(_ error: SerialQueueError) -> SerialQueueError {
        guard case .deadlock(let report) = error, let blocked else { return error }
        return .deadlock("operation \"\(blocked.label)\" waits for \"\(label)\": \(report)")
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
        if let blocked = waiter.blocked, blocked.stage == .running {
            blockedWaits.append(waiter)
            refuseStuck(from: waiter.target, &after)
        }
        return waiter.refusal == nil
    }

    /// Removes the wait. False: it has ended.
    static func withdraw(_ waiter: Waiter, _ after: inout Aftermath) -> Bool {
        guard !waiter.hasEnded else { return false }
        switch waiter.target {
        case .operation(let node): node.waiters.removeAll { $0 === waiter }
        case .queue(let core): core.forget(waiter)
        }
        forget(waiter, &after)
        return true
    }

    /// Removes the wait from everything that refers to it, after its end.
    static func forget(_ waiter: Waiter, _ after: inout Aftermath) {
        waiter.hasEnded = true
        waiter.forgetPath(&after)
        if let item = waiter.item.take() { after.endedItems.append(item) }
        if let caller = waiter.caller.take() { after.drained.append(caller) }
        if waiter.blocked != nil { blockedWaits.removeAll { $0 === waiter } }
    }
}
