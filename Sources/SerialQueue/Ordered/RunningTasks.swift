/// The tasks that have begun and not ended, and the callers that wait for their end: a state machine, kept under a lock.
///
/// Every step takes constant time, except ``cancelled(by:)``, which takes all of them.
struct RunningTasks: ~Copyable {
    typealias Waiter = UnsafeContinuation<Void, Never>

    private(set) var oldest: QueuedTask?
    private var newest: QueuedTask?
    private var begun = 0
    private var count = 0
    /// All of them, as long as there are many; else empty. A few are searched as quickly in the list, and pay nothing for a set.
    private var ofMany: Set<UnsafeCurrentTask> = []
    /// How often everything was cancelled.
    private var epoch = 0
    /// In rising order of what they wait for.
    private var waiters: [(below: Int, waiter: Waiter)] = []

    /// Notes that `queued` begins, in `task`. `true`: it has been cancelled before.
    mutating func begin(_ queued: QueuedTask, in task: UnsafeCurrentTask?) -> Bool {
        queued.number = begun
        queued.task = task
        begun += 1
        queued.older = newest
        if let newest { newest.newer = queued } else { oldest = queued }
        newest = queued
        index(task)
        return queued.epoch < epoch
    }

    /// Notes that `queued` ends. The caller resumes the returned ones, whose wait is over.
    mutating func end(_ queued: QueuedTask) -> [Waiter] {
        unindex(queued.task.take())
        let newer = queued.newer.take(), older = queued.older.take()
        if let older { older.newer = newer } else { oldest = newer }
        if let newer { newer.older = older } else { newest = older }
        guard !waiters.isEmpty else { return [] }
        let over = waiters.prefix { hasEnded(below: $0.below) }.map(\.waiter)
        waiters.removeFirst(over.count)
        return over
    }

    /// Waits for the end of all that have begun so far. `false`: they have ended already.
    mutating func wait(_ waiter: Waiter) -> Bool {
        guard !hasEnded(below: begun) else { return false }
        waiters.append((begun, waiter))
        return true
    }

    /// Notes that all tasks enqueued in an epoch before `epoch` are cancelled. The caller cancels those that run: that calls user
    /// code.
    mutating func cancelled(by epoch: Int) -> [UnsafeCurrentTask] {
        self.epoch = max(self.epoch, epoch)
        var tasks: [UnsafeCurrentTask] = []
        forEach { queued in
            if queued.epoch < epoch, let task = queued.task { tasks.append(task) }
        }
        return tasks
    }

    /// Whether `task` runs here.
    func contains(_ task: UnsafeCurrentTask) -> Bool {
        guard ofMany.isEmpty else { return ofMany.contains(task) }
        var found = false
        forEach { found = found || $0.task == task }
        return found
    }

    /// The set is filled above 64 and emptied below 32: so filling it costs each task at most twice as much as one insertion.
    private mutating func index(_ task: UnsafeCurrentTask?) {
        count += 1
        if !ofMany.isEmpty {
            if let task { ofMany.insert(task) }
        } else if count > 64 {
            var all: Set<UnsafeCurrentTask> = []
            forEach { if let task = $0.task { all.insert(task) } }
            ofMany = all
        }
    }

    private mutating func unindex(_ task: UnsafeCurrentTask?) {
        count -= 1
        guard !ofMany.isEmpty else { return }
        if count < 32 { ofMany = [] } else if let task { ofMany.remove(task) }
    }

    private func hasEnded(below: Int) -> Bool {
        oldest.map { $0.number >= below } ?? true
    }

    private func forEach(_ body: (QueuedTask) -> Void) {
        var next = oldest
        while let queued = next {
            body(queued)
            next = queued.newer
        }
    }
}
