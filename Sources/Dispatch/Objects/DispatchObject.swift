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

/// How often something is suspended that begins inactive.
///
/// A resume of an inactive object activates it, unless it balances a suspend: Dispatch's sources are started like this.
struct Activation {
    /// How many suspends an inactive object has; `nil`: it is active.
    private var suspensions: Int?

    init(isActive: Bool) {
        suspensions = isActive ? nil : 0
    }

    mutating func suspend() {
        suspensions? += 1
    }

    mutating func resume() {
        guard let count = suspensions else { return }
        suspensions = count == 0 ? nil : count - 1
    }

    /// Whether it was inactive.
    mutating func activate() -> Bool {
        defer { suspensions = nil }
        return suspensions != nil
    }
}
