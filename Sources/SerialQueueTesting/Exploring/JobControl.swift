// JobControl.swift: where the jobs of an explored test come from, and where they go.
//
// A task of the test prefers JobControl as its executor, so each job of it comes here, and goes to the pool of the run. Unstructured
// tasks come through the runtime's hook first; when they begin they get the preference, too (task_hook.c). Jobs of other tasks pass.

import CSerialQueue
import CTaskHook
import SerialQueue
import Synchronization

/// The task executor of everything that a run controls. One object for the process: a task keeps it without a reference.
final class JobControl: TaskExecutor, Sendable {
    static let shared = JobControl()

    /// The thread that explores. One job of it is one exploration, so they run one after the other.
    static let queue = SerialQueue(label: "exploreSchedules")

    /// Whether this runtime has the hook.
    static let hasHook = sq_task_hook_install { JobControl.shared.take($0) }

    private let current = Mutex<Run?>(nil)
    /// Whether there is a run, for the many jobs of other tests. Relaxed: the thread that explores has set it itself.
    private let isActive = Atomic(false)

    /// Controls the jobs of this thread until the end of `body`.
    func control<Result>(_ run: Run, _ body: () throws -> Result) rethrows -> Result {
        current.withLock { $0 = run }
        isActive.store(true, ordering: .relaxed)
        sq_task_set_home(true)
        defer {
            sq_task_set_home(false)
            isActive.store(false, ordering: .relaxed)
            current.withLock { $0 = nil }
        }
        return try body()
    }

    /// The run that is under way.
    var run: Run? {
        isActive.load(ordering: .relaxed) ? current.withLock { $0 } : nil
    }

    /// A job of a task that prefers this executor.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = unsafeBitCast(UnownedJob(job), to: UnsafeMutableRawPointer.self)
        if let run {
            run.enqueue(job, isHome: sq_task_is_home())
        } else {
            sq_task_pass_on(job)  // of a task that outlived its run
        }
    }

    /// Takes a job that was enqueued on the global executor. `false`: it does not belong to this run.
    private func take(_ job: UnsafeMutableRawPointer) -> Bool {
        guard let run else { return false }
        let isHome = sq_task_is_home()
        guard isHome || run.knows(job) else { return false }
        run.enqueue(job, isHome: isHome)
        return true
    }

    /// The two words by which the runtime knows this executor.
    nonisolated(unsafe) static let reference = unsafeBitCast(shared.asUnownedTaskExecutor(), to: sq_task_executor_t.self)
}
