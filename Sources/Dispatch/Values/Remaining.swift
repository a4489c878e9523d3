import Dispatch
import SerialQueue

/// The time from now until `time`, zero if it has passed; `nil`: it never comes.
func remaining(until time: DispatchTime) -> Duration? {
    guard time != .distantFuture else { return nil }
    let now = DispatchTime.now()
    return time > now ? .nanoseconds(time.uptimeNanoseconds - now.uptimeNanoseconds) : .zero
}

/// The same for a time of the wall clock, as the clock is now.
func remaining(until time: DispatchWallTime) -> Duration? {
    guard time != .distantFuture else { return nil }
    let (due, now) = (nanosecondsSince1970(time), nanosecondsSince1970(.now()))
    return due > now ? .nanoseconds(due - now) : .zero
}

/// Dispatch has no accessor for it: the struct is one word, the negative number of nanoseconds.
private func nanosecondsSince1970(_ time: DispatchWallTime) -> UInt64 {
    0 &- unsafeBitCast(time, to: UInt64.self)
}

/// The duration of an interval; `nil`: never.
func duration(_ interval: DispatchTimeInterval) -> Duration? {
    switch interval {
    case .seconds(let count): .seconds(count)
    case .milliseconds(let count): .milliseconds(count)
    case .microseconds(let count): .microseconds(count)
    case .nanoseconds(let count): .nanoseconds(count)
    case .never: nil
    @unknown default: nil
    }
}

extension Duration {
    /// A delay that overflows the clock, so it never ends.
    static let forever = Duration.seconds(Int64.max)
}

/// Waits as Dispatch does: after the limit the result is `timedOut`, also if the wait could never have succeeded.
func waits(for limit: Duration?, _ wait: (Duration) throws(SerialQueueError) -> Void) -> DispatchTimeoutResult {
    let clock = ContinuousClock()
    let start = clock.now
    do {
        try wait(limit ?? .forever)
        return .success
    } catch .timedOut {
        return .timedOut
    } catch .deadlock(let report) {
        guard let limit else { fatalError(report) }
        try? Semaphore(label: "deadlock", value: 0).wait(within: limit - start.duration(to: clock.now))
        return .timedOut
    } catch {
        fatalError("\(error)")
    }
}
