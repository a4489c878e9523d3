import CSerialQueue
import CSerialQueueSwiftCall

extension SerialQueue {
    /// What a queue has done and what still waits, `sync` and `async` together, since it was made.
    ///
    /// While the queue is at rest: `submitted == ran + discarded + withdrawn + depth`.
    public struct Statistics: Sendable, Hashable {
        /// Accepted.
        public var submitted: Int
        /// Called; one that is running now is counted.
        public var ran: Int
        /// Accepted, but discarded instead of run; so is the next firing of a timer that a shutdown ends.
        public var discarded: Int
        /// A waiting caller withdrew, or was refused by a discarding shutdown.
        public var withdrawn: Int
        /// Refused; not counted as submitted.
        public var rejected: Int
        /// Accepted, and still waiting for their turn.
        public var depth: Int
        /// The highest depth seen; under a steady stream it may be a few too low.
        public var highestDepth: Int
    }

    /// The counts now. While closures come and go each is right, but they are not from the same instant.
    public var statistics: Statistics {
        var counts = sq_swift_queue_stats()
        _ = withExtendedLifetime(self) { sq_queue_stats(queue, &counts) }  // of the size of this version: cannot fail
        return Statistics(counts)
    }

    /// How many accepted closures wait for their turn now; the running one is not counted.
    public var depth: Int {
        withExtendedLifetime(self) { sq_queue_depth(queue) }
    }
}

extension SerialQueue.Statistics {
    init(_ counts: sq_queue_stats_t) {
        self.init(
            submitted: Int(counts.submitted),
            ran: Int(counts.ran),
            discarded: Int(counts.discarded),
            withdrawn: Int(counts.withdrawn),
            rejected: Int(counts.rejected),
            depth: Int(counts.depth),
            highestDepth: Int(counts.highest_depth)
        )
    }
}
