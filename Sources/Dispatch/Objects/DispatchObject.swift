import SerialQueue

/// What queues, groups, semaphores and sources have in common.
///
/// Only queues and sources can be suspended, activated and given a target: on others the calls have no effect.
public class DispatchObject {
    init() {}

    /// Prevents closures from starting, until balanced by ``resume()``.
    public func suspend() {}

    /// Balances one ``suspend()``. Traps if there was none.
    public func resume() {}

    /// Lets an object begin that was made inactive. No effect on others.
    public func activate() {}

    /// Sets the queue on which this object's closures run.
    public func setTarget(queue: DispatchQueue) {}
}

/// How often a queue or a source is suspended, and whether it has begun. Under the lock of its owner.
///
/// A resume of an inactive object activates it, unless it balances a suspend: Dispatch's sources are started like this.
struct Activation {
    private(set) var isInactive: Bool
    /// Not counting that it is inactive.
    private(set) var suspensions = 0

    init(isInactive: Bool) {
        self.isInactive = isInactive
    }

    /// Whether the next resume activates it.
    var isNextToBegin: Bool {
        isInactive && suspensions == 0
    }

    /// Suspends a queue of the core that was just made.
    func hold(_ queue: WorkQueue) {
        for _ in 0..<suspensions + (isInactive ? 1 : 0) { queue.suspend() }
    }

    /// Balances all suspensions, when nobody else can.
    func free(_ queue: WorkQueue) {
        for _ in 0..<suspensions + (isInactive ? 1 : 0) { queue.resume() }
    }

    mutating func suspend(_ queue: WorkQueue?) {
        suspensions += 1
        queue?.suspend()
    }

    /// Returns whether it was suspended or inactive.
    mutating func resume(_ queue: WorkQueue?) -> Bool {
        if isNextToBegin {
            activate(queue)
        } else if suspensions > 0 {
            suspensions -= 1
            queue?.resume()
        } else {
            return false
        }
        return true
    }

    mutating func activate(_ queue: WorkQueue?) {
        guard isInactive else { return }
        isInactive = false
        queue?.resume()
    }
}
