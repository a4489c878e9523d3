import CSerialQueue
import CTaskHook

/// The queues that stand for tasks and plain actors on the pool of a run, and their names.
struct Lanes: @unchecked Sendable {
    // Unchecked because of the pointers; used under a lock.
    private var ofTasks: [UInt64: OpaquePointer] = [:]
    private var ofActors: [UnsafeMutableRawPointer: OpaquePointer] = [:]
    private var others: OpaquePointer?
    /// Tasks, retained if the run keeps them, to find out what they wait for.
    private var kept: [UnsafeMutableRawPointer] = []
    private let keepsTasks: Bool
    /// Whether the run is over: then there is no pool to make a lane on.
    private var hasEnded = false
    /// The number of the first task: tasks that it makes have greater ones, those that were there before have not.
    private var body: UInt64?
    /// How many actors of each type there are.
    private var actorCounts: [String: Int] = [:]

    init(keepsTasks: Bool) {
        self.keepsTasks = keepsTasks
    }

    /// The lane of a job; `nil`: the run is over.
    mutating func of(_ job: UnsafeMutableRawPointer, on pool: OpaquePointer) -> OpaquePointer? {
        if hasEnded { return nil }
        switch sq_task_kind(job) {
        case SQ_TASK_KIND_TASK:
            let id = sq_task_id(job)
            if keepsTasks && ofTasks[id] == nil && !sq_task_is_part_of_parent(job) { keep(job) }
            return ofTask(id, on: pool)
        case SQ_TASK_KIND_ACTOR:
            return ofActor(sq_task_actor(job), on: pool)
        default:
            // Such as the rest of a yield, which resumes the task that yields.
            let id = sq_task_id(sq_task_current())
            return id != 0 ? ofTask(id, on: pool) : ofOthers(on: pool)
        }
    }

    /// Whether it is the first job of a task.
    func isNew(_ job: UnsafeMutableRawPointer) -> Bool {
        let id = sq_task_id(job)
        return id != 0 && ofTasks[id] == nil
    }

    func hasTask(_ id: UInt64) -> Bool {
        ofTasks[id] != nil
    }

    /// Whether the test itself has come.
    var hasBegun: Bool {
        body != nil
    }

    /// Whether a task is newer than the test itself.
    func mayHaveMade(_ id: UInt64) -> Bool {
        body.map { id > $0 } ?? false
    }

    func name(ofTask id: UInt64) -> String? {
        ofTasks[id].map { String(cString: sq_queue_label($0)) }
    }

    /// The tasks that are kept. They exist until the end.
    var tasks: [UnsafeMutableRawPointer] {
        kept
    }

    /// Releases the lanes. Returns the tasks that were kept, which the caller releases without the lock: their last reference may be this one.
    mutating func end() -> [UnsafeMutableRawPointer] {
        for lane in ofTasks.values { sq_queue_release(lane) }
        for lane in ofActors.values { sq_queue_release(lane) }
        sq_queue_release(others)
        let tasks = kept
        self = Lanes(keepsTasks: false)
        hasEnded = true
        return tasks
    }

    private mutating func keep(_ task: UnsafeMutableRawPointer) {
        _ = Unmanaged<AnyObject>.fromOpaque(task).retain()
        kept.append(task)
    }

    /// What each task that was kept waits for, and the tasks that it waits for; a line each.
    var waits: [String] {
        var lines: [String] = []
        var tasks = kept
        var seen = Set(kept)
        while !tasks.isEmpty {
            let task = tasks.removeFirst()
            let name = name(ofTask: sq_task_id(task)) ?? "a task"
            var other: UnsafeMutableRawPointer?
            switch sq_task_wait(task, &other) {
            case SQ_TASK_WAIT_TASK:
                // Exists, because it is waited for.
                lines.append("\(name) waits for \(self.name(ofTask: sq_task_id(other)) ?? "a task outside of the test")")
                if seen.insert(other!).inserted { tasks.append(other!) }
            case SQ_TASK_WAIT_GROUP: lines.append("\(name) waits for its child tasks")
            case SQ_TASK_WAIT_CONTINUATION: lines.append("\(name) waits for a continuation, which nothing on the pool will resume")
            default: break
            }
        }
        return lines
    }

    private mutating func ofTask(_ id: UInt64, on pool: OpaquePointer) -> OpaquePointer {
        if let lane = ofTasks[id] { return lane }
        // The test itself comes first.
        let number = ofTasks.count
        body = body ?? id
        let lane = number < Self.taskNames.count ? make(Self.taskNames[number], on: pool) : make("task \(number)", on: pool)
        ofTasks[id] = lane
        return lane
    }

    private static let taskNames: [StaticString] = ["body", "task 1", "task 2", "task 3", "task 4", "task 5", "task 6", "task 7"]

    private mutating func ofActor(_ actor: UnsafeMutableRawPointer, on pool: OpaquePointer) -> OpaquePointer {
        if let lane = ofActors[actor] { return lane }
        let type = _typeName(type(of: Unmanaged<AnyObject>.fromOpaque(actor).takeUnretainedValue()), qualified: false)
        let number = actorCounts[type, default: 0] + 1
        actorCounts[type] = number
        let lane = make(number == 1 ? type : "\(type) \(number)", on: pool)
        ofActors[actor] = lane
        return lane
    }

    private mutating func ofOthers(on pool: OpaquePointer) -> OpaquePointer {
        if let others { return others }
        let lane = make("runtime", on: pool)
        others = lane
        return lane
    }

    private func make(_ label: StaticString, on pool: OpaquePointer) -> OpaquePointer {
        make(UnsafeRawPointer(label.utf8Start).assumingMemoryBound(to: CChar.self), on: pool)
    }

    private func make(_ label: String, on pool: OpaquePointer) -> OpaquePointer {
        label.withCString { make($0, on: pool) }
    }

    private func make(_ label: UnsafePointer<CChar>, on pool: OpaquePointer) -> OpaquePointer {
        var options = sq_task_queue_options()
        options.pool = pool
        guard let lane = sq_queue_create(label, &options) else { fatalError("exploreSchedules: no memory for a queue") }
        return lane
    }
}
