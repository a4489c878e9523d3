import CTaskHook
import Synchronization

/// What was not under control in an exploration, each thing once.
final class Escapes: Sendable {
    private let test: String
    private let state = Mutex<(found: [String], isOver: Bool)>(([], false))

    init(test: String) {
        self.test = test
    }

    var found: [String] {
        state.withLock { $0.found }
    }

    /// On any thread. After the exploration nobody looks at the list any more; then stderr says which test it was.
    func note(_ escape: String) {
        let isLate = state.withLock { state in
            if state.found.contains(escape) { return false }
            state.found.append(escape)
            return state.isOver
        }
        if isLate { sq_task_say("exploreSchedules: \(test) has ended, but not all of it was under control: \(escape)") }
    }

    /// The exploration is over. Returns what was found.
    func end() -> [String] {
        state.withLock { state in
            state.isOver = true
            return state.found
        }
    }

    /// By whom the calling thread was made to resume a task.
    static var resumer: String {
        if sq_task_is_home() { return "was resumed by a later run: the test shares state between its runs." }
        if sq_task_is_on_main_actor() { return "ran on the MainActor, which is not explored." }
        var name = [CChar](repeating: 0, count: 16)
        sq_task_thread_name(&name, name.count)
        let thread = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // The system cuts the names of Dispatch's threads at the front.
        if thread.hasSuffix("-qos") || thread.hasSuffix(".overcommit") {
            return "was resumed by Swift's own threads: by Task.sleep on a real clock (use pool.clock), or by a task that is not the test's."
        }
        // A new thread has the name of the one that started it.
        if thread == "sq-explore" || thread == JobControl.queue.label.prefix(15) {
            return "was resumed by a thread outside of the pool, which the test has started."
        }
        return "was resumed by a thread outside of the pool, \"\(thread)\"."
    }
}
