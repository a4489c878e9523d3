import Dispatch
import SerialQueue

/// The time from now until `time`, zero if it has passed; `nil`: it never comes.
func remaining(until time: DispatchTime) -> Duration? {
    distance(to: time).map { max($0, .zero) }
}

/// The same for a time of the wall clock, as the clock is now.
func remaining(until time: DispatchWallTime) -> Duration? {
    distance(to: time).map { max($0, .zero) }
}

/// The time from now until `time`, negative if it has passed; `nil`: it never comes.
func distance(to time: DispatchTime) -> Duration? {
    guard time != .distantFuture else { return nil }
    let due = time.uptimeNanoseconds
    return difference(due, due < poolZero ? DispatchTime.now().uptimeNanoseconds : uptime(of: Home.current.manual))
}

/// Dispatch's time at which the clock of a test's pool is at zero: in 73 years, so it tells both clocks apart. Dispatch takes what is twice as late
/// for never.
private let poolZero: UInt64 = 1 << 61

private func uptime(of pool: ManualPool?) -> UInt64 {
    poolZero + nanoseconds(WorkQueue.Instant.now(on: pool).offset)
}

/// The current time, for deadlines. Outside of tests, `DispatchTime.now()`.
///
/// In `DispatchTesting.run` it is the time of the test's pool, which only the test advances. So deadlines are the same in each run of a test, on a slow
/// machine, too. `Moved.swift` uses this function as `DispatchTime.now()`.
public func dispatchNow() -> DispatchTime {
    guard let pool = Home.current.manual else { return .now() }
    return DispatchTime(uptimeNanoseconds: uptime(of: pool))
}

/// The same for a time of the wall clock, as the clock is now.
func distance(to time: DispatchWallTime) -> Duration? {
    time == .distantFuture ? nil : difference(nanosecondsSince1970(time), nanosecondsSince1970(.now()))
}

private func difference(_ due: UInt64, _ now: UInt64) -> Duration {
    due > now ? .nanoseconds(due - now) : .zero - .nanoseconds(now - due)
}

/// Its value is the negative number of nanoseconds.
private func nanosecondsSince1970(_ time: DispatchWallTime) -> UInt64 {
    0 &- time.rawValue
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

/// Waits without a limit: outside of a test only in the core, whose message says what would never end.
func waitsAtHome(for group: WorkGroup, orInTest wait: () -> Void) {
    guard Home.current.patience == nil else { return wait() }
    group.wait()
}

/// Waits for an object of the core as Dispatch does. In a test on a plain pool it first runs what the pool has ready, unless it need not wait; and a
/// wait without a limit ends the program with a message if nothing comes of that.
func waitsAtHome(
    for limit: Duration?, _ call: StaticString, by missing: StaticString, _ wait: (Duration) throws(SerialQueueError) -> Void
) -> DispatchTimeoutResult {
    let home = Home.current
    guard let patience = home.patience else { return waits(for: limit, wait) }
    func isDone() -> Bool { (try? wait(.zero)) != nil }
    if isDone() || home.runs(until: isDone) { return .success }
    let result = waits(for: limit, patience: patience, wait)
    if limit == nil, result == .timedOut { hangs(call, by: missing) }
    return result
}

/// Waits as Dispatch does: after the limit the result is `timedOut`, also if the wait could never have succeeded. `patience`: the limit of a wait that
/// has none; a deadlock ends the program all the same.
func waits(
    for limit: Duration?, patience: Duration? = nil, _ wait: (Duration) throws(SerialQueueError) -> Void
) -> DispatchTimeoutResult {
    let clock = ContinuousClock()
    let start = clock.now
    do {
        try wait(limit ?? patience ?? .forever)
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
