import CTaskHook
import SerialQueue
import Synchronization

/// Runs an async closure to its end on this thread, one step of its pool after the other.
final class Pump {
    /// Tasks that did not end even after they were cancelled, for instance because their continuation was lost. They can never be
    /// freed. As they are reachable from here, LeakSanitizer does not report them on top of the test that has failed.
    private static let abandoned = Mutex<[Task<Void, Never>]>([])

    /// How many steps a pool still takes when the closure has ended or its caller was cancelled. Without a limit a task that polls would never end.
    private static let most = 10_000

    /// How long an idle pool waits for something from outside, in milliseconds.
    static let patience = 1_000

    private let run: Run
    private let isCancelled: () -> Bool
    /// Takes a step, with the clock if it is `true`. `false`: there is nothing to do.
    private let step: (Bool) -> Bool
    private var task: Task<Void, Never>?

    init(run: Run, isCancelled: @escaping () -> Bool, step: @escaping (Bool) -> Bool) {
        self.run = run
        self.isCancelled = isCancelled
        self.step = step
    }

    /// Runs `body`, and what is ready when it has ended. `false`: it never ends; the caller abandons it.
    func finish(_ body: @escaping @Sendable () async throws -> Void, patience: () -> Int) -> Bool {
        task = Task(name: "test", executorPreference: run) { [run] in
            do {
                try await body()
                run.testEnded(.passed)
            } catch {
                run.testEnded(.failed(error))
            }
        }
        var left = Self.most
        while true {
            while left > 0, step(!run.testHasEnded) {
                let isCancelled = isCancelled()
                if isCancelled { task?.cancel() }
                if isCancelled || run.testHasEnded { left -= 1 }
            }
            if run.testHasEnded {
                if left == 0 { abandon() }
                return true
            }
            if left == 0 { return false }
            guard waitForOutside(patience()) else { return false }
        }
    }

    /// Cancels a closure that never ends, and its tasks, and ends what can be ended.
    func abandon() {
        task?.cancel()
        run.abandon()
        var left = Self.most
        while left > 0, step(false) { left -= 1 }
        if let task, !run.testHasEnded { Self.abandoned.withLock { $0.append(task) } }
    }

    /// Waits until something comes from outside of the pool. `false`: nothing came.
    ///
    /// What comes through Swift's own threads waits for one of them, and other tests may use them all. So a task that sleeps there
    /// measures the patience: what was to come before it, has come before it. It has sixty times the patience to do so.
    private func waitForOutside(_ patience: Int) -> Bool {
        let sleeper = Sleeper(milliseconds: patience)
        var last = 60 * patience, naps = 0
        while naps < last {
            if isCancelled() { return false }
            sq_task_pause()
            if step(true) { return true }
            naps += 1
            if sleeper.hasWoken { last = min(last, naps + Self.grace) }
        }
        return false
    }

    /// What came just before the sleeper is perhaps still on its way, on another thread. In milliseconds.
    private static let grace = 10
}

/// A task on Swift's own threads that sleeps.
private final class Sleeper: Sendable {
    private let woken = Atomic(false)

    init(milliseconds: Int) {
        sq_task_pass_on_all(true)  // the task is not the test's
        defer { sq_task_pass_on_all(false) }
        Task.detached(priority: Task.currentPriority) {
            try? await Task.sleep(for: .milliseconds(milliseconds))
            self.woken.store(true, ordering: .relaxed)
        }
    }

    var hasWoken: Bool { woken.load(ordering: .relaxed) }
}
