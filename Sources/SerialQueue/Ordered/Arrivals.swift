/// The tasks that have been enqueued and not been taken out, in order: a state machine, kept under a lock.
///
/// The right to let the next one begin is the baton. It lies here while there is nothing to do; else exactly one party has
/// it: a task that was told to start, then whoever is told to go on by the queue's rule.
struct Arrivals: ~Copyable {
    private var first: (any Held)?
    private var last: (any Held)?
    private var batonIsHere = true
    /// How many were enqueued, ever.
    private(set) var count = 0

    /// Enqueues. `true`: the caller has the baton now, and `held` is next.
    mutating func arrive(_ held: any Held) -> Bool {
        count += 1
        if batonIsHere {
            batonIsHere = false
            return true
        }
        if let last {
            last.behind = held
        } else {
            first = held
        }
        last = held
        return false
    }

    /// All that wait, as a chain. `nil`: there is none, and the caller has laid down the baton.
    mutating func takeAll() -> (any Held)? {
        last = nil
        batonIsHere = first == nil
        return first.take()
    }
}
