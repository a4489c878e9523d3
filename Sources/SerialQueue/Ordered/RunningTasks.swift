/// The tasks that have begun and not ended, and the callers that wait for their end: a state machine, kept under a lock.
///
/// Every step takes constant time, except ``cancelled(by:)``, which takes all of them, and the search for one.
struct RunningTasks: ~Copyable {
    typealias Waiter = UnsafeContinuation<Void, Never>

    private(set) var oldest: QueuedTask?
    private var newest: QueuedTask?
    private var begun = 0
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
        return queued.epoch < epoch
    }

    /// Notes that `queued` ends. The caller resumes the returned ones, whose wait is over.
    mutating func end(_ queued: QueuedTask) -> [Waiter] {
        queued.task = nil
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
        var found = false
        forEach { found = found || $0.task == task }
        return found
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
