import SerialQueue

/// Runs operations of a queue one after the other, on a serial queue of its own.
///
/// A queue of width n has at most n lanes, so no more than n operations run at a time. An async operation keeps its lane until it
/// ends: its task prefers the lane's queue as executor. Closures that work for the lane keep the core; the lane does not.
///
/// Unchecked Sendable: `isWatched` is under the lock of ``OperationGraph``, the rest fixed.
final class Lane: @unchecked Sendable {
    /// After so many operations in a row, other queues of the pool get their turn.
    private static let batch = 32

    let queue: SerialQueue
    private unowned let core: QueueCore
    /// A wait was tied to the operation that it runs: what it submitted goes first.
    var isWatched = false

    init(of core: QueueCore) {
        self.core = core
        queue = SerialQueue(label: core.label, on: core.pool)
    }

    /// Has the lane look for operations. It is one of those that are `looking`.
    func post() {
        if !queue.async({ [core] in self.work(for: core) }) { cannotRun(core.label) }
    }

    /// Runs operations until none is ready, or one is async.
    private func work(for core: QueueCore) {
        var operation = OperationGraph.change { _ in core.take(for: self) }
        var count = 0
        while let current = operation {
            guard CurrentOperation.run(current) else { return start(current, for: core) }
            count += 1
            var yields = count == Lane.batch
            operation = OperationGraph.change { after in
                core.end(current, &after)
                yields = yields || isWatched
                isWatched = false
                return yields ? nil : core.take(for: self)
            }
            if yields { return post() }
        }
    }

    /// Starts an async operation, which has the lane look for others when it has ended.
    private func start(_ operation: OperationNode, for core: QueueCore) {
        let task = Task.detached(executorPreference: queue) {
            await CurrentOperation.runAsync(operation)
            OperationGraph.change { after in core.end(operation, &after) }
            self.post()
        }
        let isCancelled = OperationGraph.look {
            if operation.stage == .running { operation.task = task }
            return operation.isCancelled
        }
        if isCancelled { task.cancel() }
    }
}
