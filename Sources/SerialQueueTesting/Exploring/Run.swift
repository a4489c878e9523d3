import CSerialQueue
import CTaskHook
import Synchronization

/// One run of a test: which jobs belong to it, how the test ended, and what was not under control.
///
/// Each task has a lane: a queue on the run's pool, with at most one job. So has each plain actor. The pool's decision which queue is
/// next is then the decision which task or actor is next.
final class Run: Sendable {
    /// Borrowed: valid until the end of the run.
    private nonisolated(unsafe) let pool: OpaquePointer
    private let lanes: Mutex<Lanes>
    private let outcome = Mutex<Outcome?>(nil)
    private let found = Mutex<[String]>([])
    /// In a recorded run: the function of the running task, and what it has done so far.
    private let labelled = Mutex<(event: Int, function: String, deeds: [String])>((Int.max, "", []))

    enum Outcome {
        case passed
        case failed(any Error)
    }

    /// - Parameter keepsTasks: Whether ``waits`` will be asked for.
    init(on pool: OpaquePointer, keepsTasks: Bool) {
        self.pool = pool
        lanes = Mutex(Lanes(keepsTasks: keepsTasks))
    }

    // MARK: The test

    func testEnded(_ outcome: Outcome) {
        self.outcome.withLock { $0 = outcome }
    }

    var testHasEnded: Bool {
        outcome.withLock { $0 != nil }
    }

    /// Why the test failed; `nil`: it passed, or has not ended.
    var error: (any Error)? {
        outcome.withLock { outcome in
            guard case .failed(let error) = outcome else { return nil }
            return error
        }
    }

    // MARK: Jobs

    /// Puts a job into the lane of its task or actor. A thread outside may have found the run just before its end: then it passes the job on.
    func enqueue(_ job: UnsafeMutableRawPointer, isHome: Bool) {
        let pool = pool
        nonisolated(unsafe) let job = job
        let event = sq_task_event()
        let sent = lanes.withLock { lanes -> (Sent, String, String)? in
            let isNew = event != Int.max && lanes.isNew(job)
            guard let lane = lanes.of(job, on: pool) else { return nil }
            sq_queue_retain(lane)  // until the job is in it
            guard !isHome || event != Int.max else { return (Sent(lane), "", "") }
            let verb = isNew ? "starts" : sq_task_kind(job) == SQ_TASK_KIND_ACTOR ? "calls" : "resumes"
            return (Sent(lane), String(cString: sq_queue_label(lane)), verb)
        }
        guard let (lane, name, verb) = sent else { return sq_task_pass_on(job) }
        defer { sq_queue_release(lane.value) }
        if !isHome { cameFromOutside(name) } else if event != Int.max { label(event, "\(verb) \(name)") }
        let status = sq_async_job(lane.value, Self.runJob, job, nil)
        if status != 0 { fatalError("exploreSchedules: no memory for a job (\(status))") }
    }

    /// Adds to the label of the running task in the timeline.
    private func label(_ event: Int, _ deed: String) {
        let (function, deeds) = labelled.withLock { labelled in
            if labelled.event != event { labelled = (event, "", []) }
            labelled.deeds.append(deed)
            return (labelled.function, labelled.deeds)
        }
        sq_explore_label((function.isEmpty ? "" : function + ": ") + deeds.joined(separator: ", "))
    }

    /// Labels the running task by the function that it continues in.
    private func labelFunction(of job: UnsafeMutableRawPointer, _ event: Int) {
        var name = [CChar](repeating: 0, count: 120)
        sq_task_function(job, &name, name.count)
        let function = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if function.isEmpty { return }
        labelled.withLock { $0 = (event, function, []) }
        sq_explore_label(function)
    }

    /// Whether it is a job of a task that this run has seen.
    func knows(_ job: UnsafeMutableRawPointer) -> Bool {
        let id = sq_task_id(job)
        return id != 0 && lanes.withLock { $0.hasTask(id) }
    }

    private typealias Call = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Bool) -> Void
    private static let runJob: Call = { job, _, _ in
        let event = sq_task_event()
        if event != Int.max { JobControl.shared.run?.labelFunction(of: job!, event) }
        sq_task_run(job!, JobControl.reference)
    }

    /// Releases the lanes. Jobs that are still in them keep them.
    func end() {
        lanes.withLock { $0.release() }
    }

    /// How timelines call the task that runs on this thread; `nil`: none of this run.
    var nameOfRunningTask: String? {
        let id = sq_task_id(sq_task_current())
        return lanes.withLock { $0.name(ofTask: id) }
    }

    /// What the tasks of the run wait for.
    var waits: [String] {
        lanes.withLock { $0.waits }
    }

    // MARK: What was not under control

    /// What was not under control in this run, each thing once.
    var escapes: [String] {
        found.withLock { $0 }
    }

    private func note(_ escape: String) {
        found.withLock { if !$0.contains(escape) { $0.append(escape) } }
    }

    private func cameFromOutside(_ lane: String) {
        note("\(lane) \(Self.whoEnqueues)")
    }

    private static var whoEnqueues: String {
        if sq_task_is_on_main_actor() { return "ran on the MainActor, which is not explored." }
        var name = [CChar](repeating: 0, count: 16)
        sq_task_thread_name(&name, name.count)
        let thread = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // The system cuts the names of Dispatch's threads at the front.
        if thread.hasSuffix("-qos") || thread.hasSuffix(".overcommit") {
            return "was resumed by Swift's own threads: by Task.sleep on a real clock (use pool.clock), or by a task that is not the test's."
        }
        return "was resumed by a thread outside of the pool, \"\(thread)\"."
    }
}

/// A pointer that is passed out of a lock: what it points to is used from several threads anyway.
struct Sent: @unchecked Sendable {
    let value: OpaquePointer
    init(_ value: OpaquePointer) { self.value = value }
}
