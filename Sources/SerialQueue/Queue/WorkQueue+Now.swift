import CSerialQueue
import CSerialQueue.Private

extension WorkQueue {
    /// A time of a queue's clock, at which a timer can start.
    ///
    /// Queues of a ``ManualPool`` have the clock of their pool, which begins at zero. All others share the system's monotonic clock, which
    /// changes of the wall clock do not affect.
    public struct Instant: InstantProtocol {
        /// How long after the clock's zero.
        public let offset: Duration

        /// The time that is `duration` later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// How long after this time `other` is.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Whether `left` is the earlier time.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    /// The time of the queue's clock.
    ///
    /// ```swift
    /// let queue = SerialQueue(label: "com.example.beats")
    /// let start = queue.now.advanced(by: .seconds(1))
    /// let (low, high) = (queue.makeTimer { print("low") }, queue.makeTimer { print("high") })
    /// low.start(at: start, every: .seconds(2))
    /// high.start(at: start, every: .seconds(1))  // every other time with `low`
    /// ```
    public final var now: Instant {
        withExtendedLifetime(self) { .now(on: sq_queue_manual_pool(queue)) }
    }
}

extension WorkQueue.Instant {
    /// The time of the clock of a manual pool's queues; `nil`: of all others.
    package static func now(on pool: ManualPool?) -> WorkQueue.Instant {
        withExtendedLifetime(pool) { now(on: pool?.pool) }
    }

    fileprivate static func now(on pool: OpaquePointer?) -> WorkQueue.Instant {
        let nanoseconds = pool.flatMap { sq__pool_clock($0) }.map { sq__alarms_now($0) } ?? sq_deadline(0)
        return WorkQueue.Instant(offset: .nanoseconds(Int64(clamping: nanoseconds)))
    }
}
