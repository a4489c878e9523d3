import CSerialQueue
import CTaskHook
import SerialQueue
import Synchronization

/// Runs a test under one schedule after the other.
final class Explorer: Sendable {
    private static let hang = "The test never ends: nothing is left to run. It waits for what never comes, or for something outside the pool."

    private let plan: ExplorationPlan
    private let test: @Sendable (ManualPool) async throws -> Void
    private let isCancelled = Atomic(false)
    private let state = Mutex(State())

    private struct State {
        /// What was not under control, in all runs.
        var escapes: [String] = []
        /// Whether a run has waited for something from outside that did not come.
        var hasWaited = false
    }

    init(plan: ExplorationPlan, test: @escaping @Sendable (ManualPool) async throws -> Void) {
        self.plan = plan
        self.test = test
    }

    /// Explores on the thread of explorations. The runs inherit the task-locals of the caller.
    func explore() async throws -> Exploration {
        guard !sq_is_exploring() else { throw ExplorationFailure.nested }
        let task = Task(name: plan.name, executorPreference: JobControl.queue) { try self.exploreOnThisThread() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    private func exploreOnThisThread() throws -> Exploration {
        guard JobControl.hasHook else { throw ExplorationFailure.noHook }
        var result = sq_task_explored()
        defer { sq_explored_clear(&result) }
        guard let exploration = plan.withOptions({ sq_exploration_create(&$0, &result) }) else {
            throw ExplorationFailure.notBegun(result)
        }
        while !stops, let pool = sq_exploration_begin_run(exploration) {
            runOnce(exploration, on: pool)
        }
        let status = sq_exploration_finish(exploration, &result)
        let escapes = state.withLock { $0.escapes }
        if status != 0 { throw ExplorationFailure(result, escapes: escapes) }
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
        if !escapes.isEmpty && !plan.allowsEscapes { throw ExplorationFailure.escaped(result, escapes) }
        return Exploration(schedules: Int(result.schedules), isComplete: result.is_complete, escapes: escapes)
    }

    /// Whether to stop, because the next run could not end either.
    private var stops: Bool {
        isCancelled.load(ordering: .relaxed) || (!plan.allowsEscapes && state.withLock { !$0.escapes.isEmpty })
    }

    private func runOnce(_ exploration: OpaquePointer, on pool: OpaquePointer) {
        let run = Run(on: pool, keepsTasks: state.withLock { $0.hasWaited })
        let hang = JobControl.shared.control(run) { pump(run, exploration, ManualPool(sharing: pool)) }
        let escapes = run.escapes
        for escape in escapes { sq_exploration_note(exploration, true, escape) }
        if let failure = hang ?? run.error.map({ Self.line($0) }) {
            sq_exploration_end_run(exploration, failure)
        } else {
            sq_exploration_end_run(exploration, nil)
        }
        run.end()
        state.withLock { state in
            state.escapes += escapes.filter { !state.escapes.contains($0) }
        }
    }

    /// Runs the test to its end. Returns why it has none.
    private func pump(_ run: Run, _ exploration: OpaquePointer, _ pool: ManualPool) -> String? {
        let test = test
        let pump = Pump(run: run, isCancelled: { self.isCancelled.load(ordering: .relaxed) }) {
            sq_exploration_step(exploration, $0)
        }
        // If nothing came from outside once, nothing will when the same failure is repeated and shrunk.
        let hasWaited = state.withLock { $0.hasWaited }
        if pump.finish({ try await test(pool) }, patience: { hasWaited && run.escapes.isEmpty ? 2 : Pump.patience }) { return nil }
        state.withLock { $0.hasWaited = true }
        for wait in run.waits { sq_exploration_note(exploration, false, wait) }
        pump.abandon()
        return Self.hang
    }

    /// An error in one line.
    private static func line(_ error: any Error) -> String {
        String(describing: error).split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
