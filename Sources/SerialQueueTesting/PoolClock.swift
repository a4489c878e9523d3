import CTaskHook
import SerialQueue

/// The clock of a ``SerialQueue/ManualPool``, for `Task.sleep(for:clock:)` and for code that takes a clock as a parameter.
///
/// Its time begins at zero. It moves when the test advances the pool; while a test is explored, or in
/// ``SerialQueue/ManualPool/run(_:)``, also when everything else waits.
public struct PoolClock: Clock, Sendable {
    /// A time since the beginning of the pool.
    public struct Instant: InstantProtocol {
        /// How long after the beginning of the pool.
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

    let manual: ManualPool

    /// The time of the pool.
    public var now: Instant {
        withExtendedLifetime(manual) { Instant(offset: .nanoseconds(Int64(clamping: sq_task_pool_time(manual.pool)))) }
    }

    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Suspends the caller until the pool's clock has reached `deadline`.
    ///
    /// - Throws: `CancellationError`, at once, if the caller is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let wakeUp = WorkItem(label: "sleep") {}
        // A queue of its own: of sleepers that are due at the same time, any may be first. A report names the timer by this label.
        let sleeper = JobControl.run?.nameOfRunningTask.map { " of \($0)" } ?? ""
        guard SerialQueue(label: "sleep\(sleeper) until \(deadline.offset)", on: manual).asyncAfter(now.duration(to: deadline), wakeUp) else {
            fatalError("PoolClock: no memory to sleep")
        }
        do {
            _ = try await wakeUp.outcome
        } catch {
            wakeUp.cancel()
            throw error
        }
    }
}
