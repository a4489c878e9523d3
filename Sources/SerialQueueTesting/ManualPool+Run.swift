import CSerialQueueTesting
import CTaskHook
import SerialQueue
import Synchronization

extension ManualPool {
    /// Runs `body` on the pool, and runs the pool until `body` has ended. So a test can await actors and queues of the pool.
    ///
    /// ```swift
    /// let pool = ManualPool()
    /// let queue = SerialQueue(label: "words", on: pool)
    /// let word = try await pool.run {
    ///     try await Task.sleep(for: .seconds(3_600), clock: pool.clock)
    ///     return try await queue.run { "an hour later" }
    /// }
    /// print(word)  // an hour later
    /// ```
    ///
    /// All tasks of `body` run on one thread, one after the other, in the order in which they became ready. If all of them wait, the
    /// clock moves to the next timer. So the result is always the same. In a test that is explored, this only awaits `body`.
    ///
    /// What is ready when `body` has ended runs, too, for at most 10,000 steps: a task that polls then is cancelled, and no longer run when
    /// 10,000 further steps don't end it. Any other task that `body` leaves continues in the next call on this pool; in between, on Swift's own
    /// threads. If the caller is cancelled, `body` is, and has as many steps to end.
    ///
    /// Such calls and the explorations of a process run one after the other.
    ///
    /// - Throws: What `body` throws; ``NeverEnds`` if it waits for something that does not come within a second: then `body` is
    ///   cancelled, and what it returns or throws after that is ignored. (While a periodic timer is on the pool, or a task of `body` polls,
    ///   there is always something to run, so a wait that never ends lasts until the caller is cancelled.)
    public func run<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws -> Result {
        if sq_is_exploring() { return try await body() }
        guard JobControl.hasHook else { throw ExplorationFailure.noHook }
        let single = SingleRun(self, body)
        let task = Task(executorPreference: JobControl.queue) { try single.finish() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            single.cancel()
        }
    }
}

/// A test waits for something that does not come. Its description says which tasks wait for what.
public struct NeverEnds: Error, CustomStringConvertible {
    /// Which task waits for what.
    public let description: String

    fileprivate init(waits: [String]) {
        let lines = waits.map { "\n  " + $0 }.joined()
        description = "It never ends: nothing is left to run. It waits for something outside the pool.\(lines)"
    }
}

/// One closure on a manual pool, without a choice.
private final class SingleRun<Result: Sendable>: Sendable {
    private let pool: ManualPool
    private let body: @Sendable () async throws -> Result
    private let result = Mutex<Result?>(nil)
    private let isCancelled = Atomic(false)

    init(_ pool: ManualPool, _ body: @escaping @Sendable () async throws -> Result) {
        self.pool = pool
        self.body = body
    }

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
    }

    /// Runs it on the thread that explores.
    func finish() throws -> Result {
        let run = Run(on: pool)
        let pump = Pump(run: run, isCancelled: { self.isCancelled.load(ordering: .relaxed) }) { [pool] in
            sq_task_pool_step(pool.pool, $0)
        }
        let hang = JobControl.control(run) { () -> NeverEnds? in
            defer { run.end() }
            if pump.finish({ try await self.runBody() }, patience: { Pump.patience }) { return nil }
            let hang = isCancelled.load(ordering: .relaxed) ? nil : NeverEnds(waits: run.waits)
            pump.abandon()  // ends the waits
            return hang
        }
        // First: `body` may have an outcome because it was cancelled just now.
        if let hang { throw hang }
        if let error = run.error { throw error }
        if let result = result.withLock({ $0 }) { return result }
        throw CancellationError()
    }

    private func runBody() async throws {
        let value = try await body()
        result.withLock { $0 = value }
    }
}
