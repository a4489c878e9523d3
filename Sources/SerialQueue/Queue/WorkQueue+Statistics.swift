import CSerialQueue
import CSerialQueueSwiftCall

extension WorkQueue {
    /// Counts of a queue's closures since it was created, `sync` and `async` together.
    ///
    /// While the queue is idle: `submitted == ran + discarded + withdrawn + depth`.
    public struct Statistics: Sendable, Hashable {
        /// Closures that were accepted.
        public var submitted: Int
        /// Closures that have started, including the running one.
        public var ran: Int
        /// Closures that were accepted, but discarded instead of run. Includes the next firing of a timer that a shutdown ends.
        public var discarded: Int
        /// Closures whose caller withdrew while it waited, or was refused by a discarding shutdown.
        public var withdrawn: Int
        /// Closures that were refused. They do not count as submitted.
        public var rejected: Int
        /// Accepted closures that still wait for their turn.
        public var depth: Int
        /// The highest depth so far. Under continuous load it may be a few too low.
        public var highestDepth: Int
    }

    /// The current counts. While the queue is in use, each count is exact, but they are not from the same instant.
    public var statistics: Statistics {
        var counts = sq_swift_queue_stats()
        _ = withExtendedLifetime(self) { sq_queue_stats(queue, &counts) }  // cannot fail: the struct has this version's size
        return Statistics(counts)
    }

    /// The number of accepted closures that wait for their turn, without the running one.
    public var depth: Int {
        withExtendedLifetime(self) { sq_queue_depth(queue) }
    }
}

extension WorkQueue.Statistics {
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
