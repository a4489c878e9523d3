import SerialQueue

/// The tasks that have begun and not ended, and the callers that wait for their end: a state machine, used under a lock.
///
/// Every step takes constant time, except ``cancelled(by:)``, which visits all running tasks.
struct RunningTasks: ~Copyable {
    /// A caller that waits, or a wait that its caller may leave: then the item is cancelled.
    enum Waiter {
        case caller(UnsafeContinuation<Void, Never>)
        case item(WorkItem)

        /// Ends the wait. Call it without the lock.
        func resume() {
            switch self {
            case .caller(let caller): caller.resume()
            case .item(let item): item.cancel()
            }
        }
    }

    private(set) var oldest: QueuedTask?
    private var newest: QueuedTask?
    private var begun = 0
    private var count = 0
    /// All running tasks while there are many; otherwise empty, because a few are found as quickly in the list.
    private var ofMany: Set<UnsafeCurrentTask> = []
    /// The number of `cancelAll` calls.
    private var epoch = 0
    /// In ascending order of `below`.
    private(set) var waiters: [(below: Int, waiter: Waiter)] = []

    /// Records that `queued` begins, in `task`. Returns `true` if it was cancelled while it waited.
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

    /// Records that `queued` ends. The caller must resume the returned waiters.
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

    /// Adds a waiter for the end of all tasks that have begun so far. Returns `false` if they have already ended, or its caller has left.
    mutating func wait(_ waiter: Waiter) -> Bool {
        guard !hasEnded(below: begun) else { return false }
        if case .item(let item) = waiter, item.isCancelled { return false }
        waiters.append((begun, waiter))
        return true
    }

    /// Removes the waiter whose item this is, after the item was cancelled.
    mutating func leave(_ item: WorkItem) {
        waiters.removeAll { waiter in
            guard case .item(let other) = waiter.waiter else { return false }
            return other == item
        }
    }

    /// Records that all tasks enqueued before `epoch` are cancelled. Returns the running ones, which the caller cancels without the
    /// lock, because that calls user code.
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

    /// The set is filled above 64 tasks and emptied below 32, so on average filling it costs a task at most two insertions.
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
