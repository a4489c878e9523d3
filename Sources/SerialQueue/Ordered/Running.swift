/// The tasks that have begun and not ended, and those who wait for their end: a state machine, kept under a lock.
///
/// No step depends on how many there are, but for taking all of them in ``cancelAll(below:)``.
struct Running: ~Copyable {
    typealias Waiter = UnsafeContinuation<Void, Never>

    private var oldest: (any Held)?
    private var newest: (any Held)?
    private var begun = 0
    private var cancelledBelow = 0
    /// In rising order of what they wait for.
    private var waiters: [(below: Int, waiter: Waiter)] = []

    /// Notes that `held` begins, in `task`. `true`: it has been cancelled before.
    mutating func begin(_ held: any Held, in task: UnsafeCurrentTask?) -> Bool {
        held.number = begun
        held.task = task
        begun += 1
        if let newest {
            newest.newer = held
            held.older = newest
        } else {
            oldest = held
        }
        newest = held
        return held.number < cancelledBelow
    }

    /// Notes that `held` ends. The caller resumes those whose wait is over.
    mutating func end(_ held: any Held) -> [Waiter] {
        held.task = nil
        let newer = held.newer, older = held.older
        held.newer = nil
        held.older = nil
        if let older { older.newer = newer } else { oldest = newer }
        if let newer { newer.older = older } else { newest = older }
        guard !waiters.isEmpty else { return [] }
        let over = waiters.prefix { hasEnded(below: $0.below) }.map(\.waiter)
        waiters.removeFirst(over.count)
        return over
    }

    /// Waits for the end of all that have a number below `below`. `false`: they have ended already.
    mutating func wait(below: Int, _ waiter: Waiter) -> Bool {
        guard !hasEnded(below: below) else { return false }
        // Two who come at the same time may be a few numbers out of order.
        let place = waiters.lastIndex { $0.below <= below }.map { $0 + 1 } ?? 0
        waiters.insert((below, waiter), at: place)
        return true
    }

    /// Cancels what has a number below `below` and has not begun. What runs, the caller cancels: that calls foreign code.
    mutating func cancelAll(below: Int) -> [UnsafeCurrentTask] {
        cancelledBelow = max(cancelledBelow, below)
        var tasks: [UnsafeCurrentTask] = []
        forEach { held in
            if held.number < below, let task = held.task { tasks.append(task) }
        }
        return tasks
    }

    /// Whether `task` runs here.
    func contains(_ task: UnsafeCurrentTask) -> Bool {
        var found = false
        forEach { found = found || $0.task == task }
        return found
    }

    /// The oldest one that runs.
    var first: (any Held)? { oldest }

    private func hasEnded(below: Int) -> Bool {
        begun >= below && oldest.map { $0.number >= below } ?? true
    }

    private func forEach(_ body: (any Held) -> Void) {
        var next = oldest
        while let held = next {
            body(held)
            next = held.newer
        }
    }
}
