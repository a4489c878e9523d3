// JobControl.swift: where the jobs of a test come from, and where they go.
//
// Each run is the executor that its tasks prefer, so each job of such a task comes to the run that it belongs to, and goes to that run's pool.
// Unstructured tasks come through the runtime's hook first; when they begin they get the preference, too (task_hook.c). Jobs of other tasks pass.

import CSerialQueue
import CTaskHook
import SerialQueue
import Synchronization

/// Which run is under way.
enum JobControl {
    /// The thread that explores. One job of it is one exploration, so they run one after the other.
    static let queue = SerialQueue(label: "exploreSchedules")

    /// Whether this runtime has the hook, and jobs as they are known.
    static let hasHook = sq_task_hook_install({ JobControl.take($0) }, { Task.detached {} })

    private static let current = Mutex<Run?>(nil)
    /// Whether there is a run, for the many jobs of other tests. Relaxed: the thread that explores has set it itself.
    private static let isActive = Atomic(false)

    /// Controls the jobs of this thread until the end of `body`.
    static func control<Result>(_ run: Run, _ body: () throws -> Result) rethrows -> Result {
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
    static var run: Run? {
        isActive.load(ordering: .relaxed) ? current.withLock { $0 } : nil
    }

    /// Takes a job that was enqueued on the global executor. `false`: it does not belong to the run that is under way.
    private static func take(_ job: UnsafeMutableRawPointer) -> Bool {
        guard let run else { return false }
        let isHome = sq_task_is_home()
        guard run.owns(job, isHome: isHome) else { return false }
        run.enqueue(job, isHome: isHome)
        return true
    }
}
