import SerialQueue
import Testing

/// Collects a handler's reports. Its lock is a queue of its own: the handler runs on a library thread.
final class Witness: Sendable {
    private let queue = SerialQueue(label: "witness")
    private let stalls = Guarded([SerialQueue.Stall]())

    var seen: [SerialQueue.Stall] { queue.sync { stalls.value } }

    @Sendable func note(_ stall: SerialQueue.Stall) {
        queue.sync { stalls.value.append(stall) }
    }

    /// The first `count` reports, when they are there.
    func await(_ count: Int, _ location: SourceLocation = #_sourceLocation) -> [SerialQueue.Stall] {
        eventually(location) { seen.count >= count }
        return seen
    }

    /// The first report of a closure that runs, behind the first `seen`, when it is there. If the closure began late, that it waits was reported before.
    func awaitRunning(
        after seen: Int = 0, _ location: SourceLocation = #_sourceLocation
    ) throws -> (number: Int, stall: SerialQueue.Stall) {
        var number = seen
        while true {
            number += 1
            let stall = try #require(self.await(number, location).dropFirst(number - 1).first, sourceLocation: location)
            if stall.kind == .running { return (number, stall) }
        }
    }
}

extension SerialQueue {
    /// Returns when the watching thread has looked at every queue for several thresholds more: another queue has stalled twice.
    static func letTheWatcherLook(_ threshold: Duration) {
        let other = SerialQueue(label: "other")
        let witness = Witness()
        #expect(other.onStall(after: threshold * 2, witness.note))
        for incident in 1...2 {
            let holdup = Holdup { other.async($0) }
            _ = witness.await(incident)
            holdup.finish()
        }
        other.stopWatching()
    }

    /// So that the next task does not have to wait for the start of a thread.
    func letTheThreadBegin() {
        async {}
        sync {}
    }
}
