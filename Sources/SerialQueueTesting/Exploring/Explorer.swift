import CSerialQueueTesting
import CTaskHook
import SerialQueue
import Synchronization

/// Runs a test under one schedule after the other.
final class Explorer: Sendable {
    private static let hang = "The test never ends: nothing is left to run. It waits for what never comes, or for something outside the pool."

    private let plan: ExplorationPlan
    private let test: @Sendable (ManualPool) async throws -> Void
    private let isCancelled = Atomic(false)
    /// What was not under control, in all runs.
    private let escapes: Escapes
    /// Whether a run has waited for something from outside that did not come. The thread that explores uses it.
    private let hasWaited = Atomic(false)

    init(plan: ExplorationPlan, test: @escaping @Sendable (ManualPool) async throws -> Void) {
        self.plan = plan
        self.test = test
        escapes = Escapes(test: plan.name)
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
        let escapes = escapes.end()
        if status != 0 { throw ExplorationFailure(result, escapes: escapes) }
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
        if !escapes.isEmpty && !plan.allowsEscapes { throw ExplorationFailure.escaped(result, escapes) }
        return Exploration(result, escapes: escapes)
    }

    /// Whether to stop, because the next run could not end either.
    private var stops: Bool {
        isCancelled.load(ordering: .relaxed) || (!plan.allowsEscapes && !escapes.found.isEmpty)
    }

    private func runOnce(_ exploration: OpaquePointer, on pool: OpaquePointer) {
        let run = Run(on: pool, keepsTasks: hasWaited.load(ordering: .relaxed), escapes: escapes)
        JobControl.control(run) {
            let hang = pump(run, exploration, ManualPool(sharing: pool))
            for escape in run.escapes { sq_exploration_note(exploration, true, escape) }
            if let failure = hang ?? run.error.map({ Run.line($0) }) {
                sq_exploration_end_run(exploration, failure)
            } else {
                sq_exploration_end_run(exploration, nil)
            }
            run.end()
        }
    }

    /// Runs the test to its end. Returns why it has none; `nil`: it has one, or the exploration knows why.
    private func pump(_ run: Run, _ exploration: OpaquePointer, _ pool: ManualPool) -> String? {
        let test = test
        let isEndless = { sq_task_is_endless(exploration) }
        let pump = Pump(run: run, isCancelled: { self.isCancelled.load(ordering: .relaxed) || isEndless() }) {
            sq_exploration_step(exploration, $0)
        }
        // If nothing came from outside once, nothing will when the same failure is repeated and shrunk.
        let hasWaited = hasWaited.load(ordering: .relaxed)
        let ended = pump.finish({ try await test(pool) }, patience: { hasWaited && run.escapes.isEmpty ? 2 : Pump.patience })
        if isEndless() {
            if ended { sq_exploration_note(exploration, false, "The test had ended, but a task that it left had not: cancel it, or await it.") }
            pump.abandon()
            return nil
        }
        if ended { return nil }
        self.hasWaited.store(true, ordering: .relaxed)
        for wait in run.waits { sq_exploration_note(exploration, false, wait) }
        pump.abandon()
        return Self.hang
    }
}
