import CSerialQueue
import CSerialQueueTesting
import CTaskHook
import SerialQueue
import Synchronization

/// One run of a test: which jobs belong to it, how the test ended, and what was not under control.
///
/// Each task has a lane: a queue on the run's pool, with at most one job. So has each plain actor. The pool's decision which queue is
/// next is then the decision which task or actor is next.
///
/// The run is the executor that its tasks prefer, and they keep it. So the jobs of a task that outlives its run come here, and to no other run:
/// they continue on Swift's own threads, unless the run was abandoned. Then they are dropped, because a task that polls would never end.
final class Run: TaskExecutor, Sendable {
    /// Borrowed: valid until the end of the run.
    private nonisolated(unsafe) let pool: OpaquePointer
    /// A pool that outlives the run. A later run on it also runs the tasks of this one.
    private let manual: ManualPool?
    private let lanes: Mutex<Lanes>
    private let outcome = Mutex<Outcome?>(nil)
    private let found = Mutex<[String]>([])
    private let ofExploration: Escapes?
    private let isAbandoned = Atomic(false)
    /// In a recorded run: the function of the running task, and what it has done so far.
    private let labelled = Mutex<(event: Int, text: String, deeds: Int)>((-1, "", 0))

    /// The addresses of jobs that were dropped. Their tasks can never be freed; as they are reachable from here, LeakSanitizer does not report
    /// them on top of the test that has failed.
    private static let dropped = Mutex<[UInt]>([])

    enum Outcome {
        case passed
        case failed(any Error)
    }

    /// A run that is explored.
    /// - Parameter keepsTasks: Whether ``waits`` will be asked for.
    init(on pool: OpaquePointer, keepsTasks: Bool, escapes: Escapes) {
        self.pool = pool
        manual = nil
        ofExploration = escapes
        lanes = Mutex(Lanes(keepsTasks: keepsTasks))
    }

    /// A run that is not explored.
    init(on manual: ManualPool) {
        pool = manual.pool
        self.manual = manual
        ofExploration = nil
        lanes = Mutex(Lanes(keepsTasks: true))
    }

    // MARK: The test

    /// On a thread of the run, unless the test has escaped. A failure is reported at once: what the test has left may have no end.
    func testEnded(_ outcome: Outcome) {
        self.outcome.withLock { $0 = outcome }
        if case .failed(let error) = outcome, sq_is_exploring() { sq_explore_fail(Self.line(error)) }
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

    /// An error in one line.
    static func line(_ error: any Error) -> String {
        String(describing: error).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    // MARK: Jobs

    /// A job of a task that prefers this executor.
    func enqueue(_ job: consuming ExecutorJob) {
        enqueue(runtimeObject(of: UnownedJob(job)), isHome: sq_task_is_home())
    }

    func enqueue(_ job: UnsafeMutableRawPointer, isHome: Bool) {
        if !submit(job, of: self, isHome: isHome) { setAside(job) }
    }

    /// Puts a job into the lane of its task or actor. `false`: the run has ended.
    /// - Parameter owner: The executor that its task prefers: this run, or an earlier one on the same pool.
    private func submit(_ job: UnsafeMutableRawPointer, of owner: Run, isHome: Bool) -> Bool {
        let pool = pool
        nonisolated(unsafe) let job = job
        let event = sq_task_event()
        let sent = lanes.withLock { lanes -> (Sent, String, String)? in
            let isNew = event >= 0 && lanes.isNew(job)
            guard let lane = lanes.of(job, on: pool) else { return nil }
            sq_queue_retain(lane)  // until the job is in it
            guard !isHome || event >= 0 else { return (Sent(lane), "", "") }
            let verb = isNew ? "starts" : sq_task_kind(job) == SQ_TASK_KIND_ACTOR ? "calls" : "resumes"
            return (Sent(lane), String(cString: sq_queue_label(lane)), verb)
        }
        guard let (lane, name, verb) = sent else { return false }
        defer { sq_queue_release(lane.value) }
        if !isHome { note("\(name) \(Escapes.resumer)") } else if event >= 0 { label(event, "\(verb) \(name)") }
        let retained = Unmanaged.passRetained(owner)
        let status = sq_async_job(lane.value, Self.runJob, job, retained.toOpaque())
        if status == 0 { return true }
        retained.release()
        // The end of a run that has no end shuts down the lanes.
        guard status == SQ_TASK_ESHUTDOWN else { fatalError("exploreSchedules: no memory for a job (\(status))") }
        return false
    }

    /// A job that came after the end of the run, or that the pool has discarded.
    private func setAside(_ job: UnsafeMutableRawPointer) {
        let isHome = sq_task_is_home()
        if isAbandoned.load(ordering: .relaxed) {
            // An actor is not only this run's, perhaps: it would not serve any other task.
            if sq_task_kind(job) == SQ_TASK_KIND_ACTOR { return sq_task_pass_on(job) }
            let address = UInt(bitPattern: job)
            return Self.dropped.withLock { $0.append(address) }
        }
        if let manual, let next = JobControl.run, next !== self, next.manual?.pool == manual.pool, next.hasBegun {
            if next.submit(job, of: self, isHome: isHome) { return }
        }
        // On the thread of its own run it is the end of the run that resumes the task.
        if JobControl.run !== self || !isHome { ofExploration?.note("A task of an earlier run \(Escapes.resumer)") }
        sq_task_pass_on(job)
    }

    private var hasBegun: Bool {
        lanes.withLock { $0.hasBegun }
    }

    /// Whether a job that prefers no executor belongs to this run: of a task or an actor that the calling thread of the run has made ready.
    /// Not of a task that was there before.
    func owns(_ job: UnsafeMutableRawPointer, isHome: Bool) -> Bool {
        let id = sq_task_id(job)
        return id == 0 ? isHome : lanes.withLock { $0.hasTask(id) || (isHome && $0.mayHaveMade(id)) }
    }

    private typealias Call = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Bool) -> Void
    private static let runJob: Call = { job, owner, runs in
        let owner = Unmanaged<Run>.fromOpaque(owner!).takeRetainedValue()
        guard runs else { return owner.setAside(job!) }
        let event = sq_task_event()
        if event >= 0 { JobControl.run?.labelFunction(of: job!, event) }
        let executor = runtimeWords(of: owner.asUnownedTaskExecutor())
        sq_task_run(job!, sq_task_executor_t(object: executor.object, conformance: executor.conformance))
    }

    /// From now on the jobs of its tasks are dropped when it has ended. Cancels the tasks that it keeps.
    func abandon() {
        isAbandoned.store(true, ordering: .relaxed)
        for task in lanes.withLock({ $0.tasks }) { sq_task_cancel(task) }
    }

    /// Releases the lanes. Jobs that are still in them keep them.
    func end() {
        let tasks = lanes.withLock { $0.end() }
        for task in tasks { Unmanaged<AnyObject>.fromOpaque(task).release() }
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
        ofExploration?.note(escape)
    }

    // MARK: The timeline

    /// More than a row of the timeline can show.
    private static let mostDeeds = 8

    /// Adds to the label of the running task in the timeline.
    private func label(_ event: Int, _ deed: String) {
        let text = labelled.withLock { labelled -> String? in
            if labelled.event != event { labelled = (event, "", 0) }
            labelled.deeds += 1
            if labelled.deeds > Self.mostDeeds { return nil }
            labelled.text += (labelled.text.isEmpty ? "" : labelled.deeds == 1 ? ": " : ", ") + deed
            return labelled.text
        }
        if let text { sq_explore_label(text) }
    }

    /// Labels the running task by the function that it continues in.
    private func labelFunction(of job: UnsafeMutableRawPointer, _ event: Int) {
        var name = [CChar](repeating: 0, count: 120)
        sq_task_function(job, &name, name.count)
        let function = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        if function.isEmpty { return }
        labelled.withLock { $0 = (event, function, 0) }
        sq_explore_label(function)
    }
}

/// A pointer that is passed out of a lock: what it points to is used from several threads anyway.
struct Sent: @unchecked Sendable {
    let value: OpaquePointer
    init(_ value: OpaquePointer) { self.value = value }
}
