import Glibc
import SerialQueue

/// Runs operations of a queue one after the other, on a serial queue of its own.
///
/// A queue of width n has at most n lanes, so no more than n operations run at a time. An async operation keeps its lane until it
/// ends: its task prefers the lane's queue as executor. Closures that work for the lane keep the core; the lane does not.
///
/// Unchecked Sendable: the fields are fixed.
final class Lane: @unchecked Sendable {
    /// After so many operations in a row the lane posts itself again, so that the pool can run other queues.
    private static let batch = 32

    let queue: SerialQueue
    private unowned let core: QueueCore

    /// Time ends a batch, too: it must not last longer than a task of another queue.
    private let isTimed: Bool

    init(of core: QueueCore) {
        isTimed = !(core.pool is ManualPool)  // a test's order depends on nothing but the test
        self.core = core
        queue = SerialQueue(label: core.label, on: core.pool)
    }

    /// Has the lane look for operations. It is one of those that are `looking`.
    func post() {
        if !queue.async({ [core] in self.work(for: core) }) { cannotRun(core.label) }
    }

    /// Runs operations until none is ready, or one is async.
    private func work(for core: QueueCore) {
        var operation = OperationGraph.change { after in core.take(for: self, &after) }
        let began = tick()
        var count = 0
        while let current = operation {
            guard CurrentOperation.run(current) else { return start(current, for: core) }
            count += 1
            let yields = count == Lane.batch || tick() != began
            operation = OperationGraph.change { after in
                core.end(current, &after)
                return yields ? nil : core.take(for: self, &after)
            }
            if yields { return post() }
        }
    }

    /// The kernel's tick, of 1 to 4 ms: five times cheaper than the time.
    private func tick() -> Int {
        guard isTimed else { return 0 }
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return time.tv_nsec
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
