import CSerialQueue
import CSerialQueueSwiftCall

extension WorkQueue {
    /// How long a queue's closures waited and ran.
    public struct Histograms: Sendable, Hashable {
        /// From the submission to the start, of the closures that have started.
        public var waiting = Histogram()
        /// From the start to the end, of the closures that have ended.
        public var running = Histogram()

        /// Two empty histograms.
        public init() {}

        fileprivate init(_ waiting: sq_histogram_t, _ running: sq_histogram_t) {
            self.waiting = Histogram(waiting)
            self.running = Histogram(running)
        }
    }

    /// Begins to measure how long the queue's closures wait and run. No effect if it is measured already.
    ///
    /// Closures that are submitted from now on count; a `sync` that finds the queue free has waited for nothing. The memory, 1 KiB, lasts
    /// as long as the queue. Until the first start the queue keeps no times.
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
        var waiting = sq_swift_histogram(), running = sq_swift_histogram()
        // It cannot fail: both have this version's size.
        _ = withExtendedLifetime(self) { sq_queue_histograms(queue, &waiting, &running) }
        return Histograms(waiting, running)
    }

    /// The sum of ``histograms-swift.property`` over all queues with this label whose measuring was ever started.
    ///
    /// Queues that are gone count, too, as long as one of the label exists. Empty if there is none.
    ///
    /// - Parameter label: The label of the queues.
    public static func histograms(label: String) -> Histograms {
        var waiting = sq_swift_histogram(), running = sq_swift_histogram()
        _ = sq_label_histograms(label, &waiting, &running) // without such a queue both are empty
        return Histograms(waiting, running)
    }

    /// Counts of durations, in buckets whose width is at most a sixteenth of the duration; a queue counts in coarser ones.
    ///
    /// All histograms have the same buckets, so those of several queues or processes can be added up. A histogram takes 8 KiB.
    public struct Histogram: Sendable {
        private var counts: sq_histogram_t

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
    /// The result is at most a sixteenth too high, for ``WorkQueue/histograms-swift.property`` at most a quarter. There, 1 to 31 ns count as 31 ns, 32 to 63 ns
    /// as 63 ns, and of durations above 34 s only the longest is known.
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

    private func withCounts<Result>(_ body: (UnsafeBufferPointer<UInt64>) -> Result) -> Result {
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

private func duration(_ nanoseconds: UInt64) -> Duration {
    .nanoseconds(Int64(clamping: nanoseconds))
}
