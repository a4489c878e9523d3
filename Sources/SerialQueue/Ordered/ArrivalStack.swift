import Synchronization

/// The tasks that were enqueued and not taken out yet. Any thread enqueues; the holder of the baton takes out.
///
/// The baton is the right to start the next task. It is in this stack while there is nothing to do, otherwise with one thread or
/// task. One word decides: 0: nothing waits and the baton is here; 1: nothing waits and the baton is taken; otherwise the
/// address of the newest task, each linked to the one before. An arrival never reads through the address, so one that returns
/// after its memory was reused does no harm. The races: Documentation/Design.md, section 18.
struct ArrivalStack: ~Copyable {
    private static let batonIsHere: UInt = 0
    private static let nothing: UInt = 1

    private let word = Atomic(batonIsHere)

    /// Enqueues. `true`: the caller has the baton now; `queued` is next and not in this stack.
    func arrive(_ queued: QueuedTask) -> Bool {
        var seen = word.load(ordering: .relaxed)
        while true {
            let takesBaton = seen == Self.batonIsHere
            let retained = takesBaton ? nil : Unmanaged.passRetained(queued)
            queued.neighbour = seen > Self.nothing ? Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: seen)!) : nil
            let new = retained.map { UInt(bitPattern: $0.toOpaque()) } ?? Self.nothing
            // [arrive] releases `queued` to the swap in `takeAll`; acquires the baton from the holder that put it down there.
            let (done, now) = word.weakCompareExchange(
                expected: seen, desired: new, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
            if done { return takesBaton }
            retained?.release()
            seen = now
        }
    }

    /// All waiting tasks, as a chain in the order of arrival. `nil`: there is none, and the caller has put down the baton.
    func takeAll() -> Unmanaged<QueuedTask>? {
        var seen = word.load(ordering: .relaxed)
        while true {
            let new = seen == Self.nothing ? Self.batonIsHere : Self.nothing
            // [arrive] acquires what the arrivals wrote; releases the baton's things to the next arrival.
            let (done, now) = word.weakCompareExchange(
                expected: seen, desired: new, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
            if done { break }
            seen = now
        }
        guard seen != Self.nothing else { return nil }
        var rest: Unmanaged<QueuedTask>? = Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: seen)!)
        var chain: Unmanaged<QueuedTask>?
        while let queued = rest {
            queued._withUnsafeGuaranteedRef {
                rest = $0.neighbour
                $0.neighbour = chain
            }
            chain = queued
        }
        return chain
    }
}
