import CSerialQueue
import CSerialQueueSwiftCall

extension WorkQueue {
    /// How long a queue's closures waited and ran, and how many waited.
    public struct Histograms: Sendable, Hashable {
        /// From the submission to the start, of the closures that have started.
        public var waiting = Histogram()
        /// From the start to the end, of the closures that have ended.
        public var running = Histogram()
        /// How many closures waited when one began, that one not counted, for each one in ``waiting``.
        public var depth = Depths()

        /// Three empty histograms.
        public init() {}

        fileprivate init(_ waiting: sq_histogram_t, _ running: sq_histogram_t, _ depth: sq_histogram_t) {
            self.waiting = Histogram(waiting)
            self.running = Histogram(running)
            self.depth = Depths(Histogram(depth))
        }
    }

    /// Begins to measure how long the queue's closures wait and run, and how many wait. No effect if it is measured already.
    ///
    /// Closures that are submitted from now on count; a `sync` that finds the queue free has waited for nothing. The memory, 1 KiB, lasts
    /// as long as the queue; a label with several measured queues has 2 KiB of its own, and up to 16 bytes for each, until the last one is gone.
    /// Until the first start the queue keeps no times.
    ///
    /// ```swift
    /// let queue = SerialQueue(label: "com.example.store")
    /// queue.startHistograms()
    /// for _ in 1...1_000 { queue.sync {} }
    /// print("99 % ran for at most \(queue.histograms.running.p99)")
    /// ```
    ///
    /// - Returns: `false` if nothing was done: there was no memory, or the queue is from before a `fork`.
    @discardableResult
    public func startHistograms() -> Bool {
        withExtendedLifetime(self) { sq_queue_histograms_start(queue) == 0 }
    }

    /// Ends the measuring. What was measured so far stays, and a later start adds to it.
    public func stopHistograms() {
        withExtendedLifetime(self) { sq_queue_histograms_stop(queue) }
    }

    /// What was measured since the queue was made. Empty if ``startHistograms()`` was never called.
    ///
    /// Closures that were discarded or withdrawn do not count.
    public var histograms: Histograms {
        var waiting = sq_swift_histogram(), running = sq_swift_histogram(), depth = sq_swift_histogram()
        // They cannot fail: all have this version's size.
        withExtendedLifetime(self) {
            _ = sq_queue_histograms(queue, &waiting, &running)
            _ = sq_queue_depth_histogram(queue, &depth)
        }
        return Histograms(waiting, running, depth)
    }

    /// The sum of ``histograms-swift.property`` over all queues with this label whose measuring was ever started.
    ///
    /// Queues that are gone count, too, as long as one of the label exists. Empty if there is none. In the child of a `fork`,
    /// the parent's queues are not in it.
    ///
    /// - Parameter label: The label of the queues.
    public static func histograms(label: String) -> Histograms {
        var waiting = sq_swift_histogram(), running = sq_swift_histogram(), depth = sq_swift_histogram()
        _ = sq_label_histograms(label, &waiting, &running)  // without such a queue they are empty
        _ = sq_label_depth_histogram(label, &depth)
        return Histograms(waiting, running, depth)
    }

    /// Counts of durations, in buckets whose width is at most a sixteenth of the duration; a queue counts in coarser ones.
    ///
    /// All histograms have the same buckets, so those of several queues or processes can be added up. A histogram takes 8 KiB.
    public struct Histogram: Sendable {
        fileprivate var counts: sq_histogram_t

        /// An empty histogram.
        public init() {
            counts = sq_swift_histogram()
        }

        fileprivate init(_ counts: sq_histogram_t) {
            self.counts = counts
        }
    }
}

extension WorkQueue.Histogram {
    /// How many durations there are.
    public var count: Int {
        Int(counts.count)
    }

    /// All durations together.
    public var sum: Duration {
        duration(counts.sum)
    }

    /// The longest one; zero if there is none.
    public var longest: Duration {
        duration(counts.longest)
    }

    /// The median, with the error of ``quantile(_:)``.
    public var p50: Duration {
        quantile(0.5)
    }

    /// What one duration in a hundred exceeds, with the error of ``quantile(_:)``.
    public var p99: Duration {
        quantile(0.99)
    }

    /// The duration that this part of all durations does not exceed; zero if there is none.
    ///
    /// The result is at most a sixteenth too high, for ``WorkQueue/histograms-swift.property`` at most a quarter, and a half below 1,024 ns. There, 1 to 31 ns
    /// count as 31 ns, 32 to 63 ns as 63 ns, and of durations above 17 s only the longest is known.
    ///
    /// - Parameter part: From 0 to 1; with 1 it is the longest duration.
    public func quantile(_ part: Double) -> Duration {
        withUnsafePointer(to: counts) { duration(sq_histogram_quantile($0, part)) }
    }

    /// The buckets that are not empty, in ascending order: the longest duration that each counts, and how many it has.
    public var buckets: [(bound: Duration, count: Int)] {
        withCounts { all in
            all.indices.filter { all[$0] > 0 }.map { (duration(sq_histogram_bound($0)), Int(all[$0])) }
        }
    }

    /// Adds a duration.
    public mutating func record(_ duration: Duration) {
        sq_histogram_record(&counts, nanoseconds(duration))
    }

    /// Adds all durations of `other`.
    public mutating func merge(_ other: Self) {
        withUnsafePointer(to: other.counts) { sq_histogram_add(&counts, $0) }
    }

    /// The durations since `earlier`, which is an earlier copy of the same histogram.
    ///
    /// ``longest`` is exact if it has grown since; otherwise it has the error of ``quantile(_:)``.
    public func since(_ earlier: Self) -> Self {
        var difference = self
        withUnsafePointer(to: earlier.counts) { sq_histogram_subtract(&difference.counts, $0) }
        return difference
    }

    fileprivate func withCounts<Result>(_ body: (UnsafeBufferPointer<UInt64>) -> Result) -> Result {
        withUnsafePointer(to: counts) {
            body(UnsafeBufferPointer(start: sq_swift_histogram_counts($0), count: Int(SQ_HISTOGRAM_BUCKETS)))
        }
    }
}

extension WorkQueue.Histogram: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        left.counts.sum == right.counts.sum && left.counts.longest == right.counts.longest
            && left.withCounts { one in right.withCounts { other in one.elementsEqual(other) } }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(counts.count)
        hasher.combine(counts.sum)
        hasher.combine(counts.longest)
    }
}

extension WorkQueue.Histogram: CustomStringConvertible {
    /// The count, the median, the 99th percentile and the longest.
    public var description: String {
        "\(count) durations, p50 \(p50), p99 \(p99), longest \(longest)"
    }
}

// Its C struct has a tuple of 976 elements.
extension WorkQueue.Histogram: CustomReflectable {
    /// A mirror with the count and the sum.
    public var customMirror: Mirror {
        Mirror(self, children: ["count": count, "sum": sum])
    }
}

extension WorkQueue {
    /// Counts of depths: how many closures waited at a time. Each bucket ends at one less than a power of two.
    public struct Depths: Sendable, Hashable {
        private var histogram = Histogram()

        /// An empty histogram.
        public init() {}

        fileprivate init(_ histogram: Histogram) {
            self.histogram = histogram
        }

        /// How many depths there are.
        public var count: Int {
            histogram.count
        }

        /// All depths together.
        public var sum: Int {
            Int(clamping: histogram.counts.sum)
        }

        /// The greatest one; 0 if there is none.
        public var deepest: Int {
            Int(clamping: histogram.counts.longest)
        }

        /// The depth that this part of all depths does not exceed; 0 if there is none. Less than twice too high.
        ///
        /// - Parameter part: From 0 to 1; with 1 it is the greatest depth.
        public func quantile(_ part: Double) -> Int {
            withUnsafePointer(to: histogram.counts) { Int(clamping: sq_histogram_quantile($0, part)) }
        }

        /// The buckets that are not empty, in ascending order: the greatest depth that each counts, and how many it has.
        public var buckets: [(bound: Int, count: Int)] {
            histogram.withCounts { all in
                all.indices.filter { all[$0] > 0 }.map { (Int(clamping: sq_histogram_bound($0)), Int(all[$0])) }
            }
        }

        /// The depths since `earlier`, which is an earlier copy of the same histogram.
        public func since(_ earlier: Self) -> Self {
            Self(histogram.since(earlier.histogram))
        }
    }
}

extension WorkQueue.Depths: CustomStringConvertible {
    /// The count, the median, the 99th percentile and the deepest.
    public var description: String {
        "\(count) depths, p50 \(quantile(0.5)), p99 \(quantile(0.99)), deepest \(deepest)"
    }
}

private func duration(_ nanoseconds: UInt64) -> Duration {
    .nanoseconds(Int64(clamping: nanoseconds))
}
