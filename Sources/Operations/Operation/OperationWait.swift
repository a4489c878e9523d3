import SerialQueue

extension OperationNode {
    /// A group's wait without limit would end the program where this can throw.
    private static let longest = Duration.seconds(20_000_000_000)

    /// Blocks the thread until the operation has ended.
    final func waitForEnd(within limit: Duration?) throws {
        guard let waiter = register() else { return }
        do throws(SerialQueueError) {
            try waiter.group.wait(within: limit ?? Self.longest)
        } catch {
            if withdraw(waiter) { throw error }
        }
        try check(waiter)
    }

    /// Suspends the caller until the operation has ended.
    final nonisolated(nonsending) func end() async throws {
        guard let waiter = register() else { return }
        do {
            try await waiter.group.wait()
        } catch {
            if withdraw(waiter) { throw error }
        }
        try check(waiter)
    }

    /// `nil`: the operation has ended.
    private func register() -> Waiter? {
        let waiter = Waiter(for: label)
        return OperationGraph.look {
            guard stage != .ended else { return nil }
            waiters.append(waiter)
            return waiter
        }
    }

    /// False: the wait has just ended.
    private func withdraw(_ waiter: Waiter) -> Bool {
        OperationGraph.look {
            guard let index = waiters.firstIndex(where: { $0 === waiter }) else { return false }
            waiters.remove(at: index)
            return true
        }
    }

    private func check(_ waiter: Waiter) throws {
        if let refusal = OperationGraph.look({ waiter.refusal }) { throw SerialQueueError.deadlock(refusal) }
    }
}
