import CSerialQueue.Private
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif
import SerialQueue

/// Runs operations of a queue one after the other, on a serial queue of its own.
///
/// A queue of width n has at most n lanes, so no more than n operations run at a time. An async operation keeps its lane until
/// it ends: its task prefers the lane's queue as executor. The lane holds no reference to the core, which holds its idle lanes. A
/// caller that posts the lane passes one: after the lock was released, another lane may end the last operation of the queue.
final class Lane: Sendable {
    /// After so many operations in a row the lane posts itself again, so that the pool can run other queues.
    private static let batch = 32

    let queue: SerialQueue

    /// Whether a batch also ends after a time, so that the other queues of the pool need not wait long.
    private let isTimed: Bool

    init(of core: QueueCore, number: Int) {
        isTimed = !(core.pool is ManualPool)  // a test's order depends on nothing but the test
        queue = SerialQueue(label: "lane \(number) of \(core.label)", on: core.pool)
    }

    /// Makes the lane look for operations. The lane has been counted in `looking`.
    func post(for core: QueueCore) {
        if !queue.async({ self.work(for: core) }) { cannotRun(core.label) }
    }

    /// Runs operations until none is ready, or one is async.
    private func work(for core: QueueCore) {
        var operation = OperationGraph.change { after in core.take(for: self, &after) }
        let began = tick()
        var count = 0, names: [String] = []
        while let current = operation {
            if !isTimed, sq__is_explored() {
                names.append(current.label)
                sq__explored_label(names.joined(separator: ", "))
            }
            guard CurrentOperation.run(current) else { return start(current, for: core) }
            count += 1
            let yields = count == Lane.batch || tick() != began
            operation = OperationGraph.change { after in
                core.end(current, &after)
                return yields ? nil : core.take(for: self, &after)
            }
            if yields { return post(for: core) }
        }
    }

    /// The kernel's coarse clock, with ticks of 1 to 4 ms: reading it is five times cheaper than reading the exact time.
    private func tick() -> Int {
        guard isTimed else { return 0 }
        var time = timespec()
        #if canImport(Darwin)
        clock_gettime(CLOCK_MONOTONIC_RAW_APPROX, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        #endif
        return time.tv_nsec
    }

    /// Starts an async operation. When that has ended, the lane looks for others.
    private func start(_ operation: OperationNode, for core: QueueCore) {
        let task = Task.detached(executorPreference: queue) {
            await CurrentOperation.runAsync(operation)
            OperationGraph.change { after in core.end(operation, &after) }
            self.post(for: core)
        }
        let isCancelled = OperationGraph.look {
            if operation.stage == .running { operation.task = task }
            return operation.isCancelled
        }
        if isCancelled { task.cancel() }
    }
}
