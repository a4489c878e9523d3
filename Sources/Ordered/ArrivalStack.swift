import Synchronization

/// The tasks that were enqueued and not taken yet. Any thread enqueues; the holder of the baton takes.
///
/// The baton is the right to start the next task. It is in this stack while there is no task to start; otherwise one thread or task
/// holds it. One word is the state: 0: no task waits, and the baton is here; 1: no task waits, and the baton is taken; otherwise the
/// address of the newest task, and each task links to the previous one. An arrival never dereferences that address, so it is
/// harmless if the memory was reused for another task (ABA). One swap finds that no task waits and puts down the baton: it fails if a
/// task has arrived in between, which would wait forever otherwise.
struct ArrivalStack: ~Copyable {
    private static let batonIsHere: UInt = 0
    private static let nothing: UInt = 1

    private let word = Atomic(batonIsHere)

    /// Enqueues. Returns `true` if the caller now has the baton: `queued` is the next task, and is not in this stack.
    func arrive(_ queued: QueuedTask) -> Bool {
        var seen = word.load(ordering: .relaxed)
        while true {
            let takesBaton = seen == Self.batonIsHere
            let retained = takesBaton ? nil : Unmanaged.passRetained(queued)
            queued.neighbour = seen > Self.nothing ? Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: seen)!) : nil
            let new = retained.map { UInt(bitPattern: $0.toOpaque()) } ?? Self.nothing
            // [arrive] releases `queued` to the swap in `takeAll`; acquires the writes of the holder that put down the baton there.
            let (done, now) = word.weakCompareExchange(
                expected: seen, desired: new, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
            if done { return takesBaton }
            retained?.release()
            seen = now
        }
    }

    /// Takes all waiting tasks, as a chain in the order of arrival. `nil`: there are none, and the caller has put down the baton.
    func takeAll() -> Unmanaged<QueuedTask>? {
        var seen = word.load(ordering: .relaxed)
        while true {
            let new = seen == Self.nothing ? Self.batonIsHere : Self.nothing
            // [arrive] acquires the arrivals' writes; releases what the baton protects to the next arrival.
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
