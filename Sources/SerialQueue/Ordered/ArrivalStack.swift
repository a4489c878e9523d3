import Synchronization

/// What has been enqueued and not been taken out. Any thread enqueues, the holder of the baton takes out.
///
/// The right to let the next one begin is the baton. It lies here while there is nothing to do; else exactly one party has
/// it: whoever was told to start, then whoever is told to go on by the queue's rule. One word tells all that there is to
/// tell: 0: nothing waits, the baton is here; 1: nothing waits, somebody has it; else the address of the last to come, each with
/// the one before as its neighbour. Never read by who does not own it, so an address that comes back does no harm.
struct ArrivalStack: ~Copyable {
    private static let batonIsHere: UInt = 0
    private static let nothing: UInt = 1

    private let word = Atomic(batonIsHere)

    /// Enqueues. `true`: the caller has the baton now, and `held` is next, and not in here.
    func arrive(_ queued: QueuedTask) -> Bool {
        var seen = word.load(ordering: .relaxed)
        while true {
            let takesBaton = seen == Self.batonIsHere
            let retained = takesBaton ? nil : Unmanaged.passRetained(queued)
            queued.neighbour = seen > Self.nothing ? Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: seen)!) : nil
            let new = retained.map { UInt(bitPattern: $0.toOpaque()) } ?? Self.nothing
            // [arrive] releases `held` to the exchange in `takeAll`; acquires the baton from the one who laid it down there.
            let (done, now) = word.weakCompareExchange(
                expected: seen, desired: new, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
            if done { return takesBaton }
            retained?.release()
            seen = now
        }
    }

    /// All that wait, as a chain in the order of arrival. `nil`: there is none, and the caller has laid down the baton.
    func takeAll() -> Unmanaged<QueuedTask>? {
        var seen = word.load(ordering: .relaxed)
        while true {
            let new = seen == Self.nothing ? Self.batonIsHere : Self.nothing
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
