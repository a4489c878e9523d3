import Dispatch
import SerialQueue

extension DispatchSourceTimer {
    /// Fires at `deadline`, then every `interval`.
    public func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        start(remaining(until: deadline), duration(interval), leeway)
    }

    /// Fires at `deadline`, then every `interval` seconds.
    public func schedule(
        deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        start(remaining(until: deadline), seconds(interval), leeway)
    }

    /// Fires at `wallDeadline`, as the wall clock is now, then every `interval`.
    public func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval = .never,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        start(remaining(until: wallDeadline), duration(interval), leeway)
    }

    /// Fires at `wallDeadline`, as the wall clock is now, then every `interval` seconds.
    public func schedule(
        wallDeadline: DispatchWallTime, repeating interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        start(remaining(until: wallDeadline), seconds(interval), leeway)
    }

    private func start(_ delay: Duration?, _ interval: Duration?, _ leeway: DispatchTimeInterval) {
        (self as! DispatchSource).schedule(after: delay, every: interval, leeway: leeway)
    }

    /// `nil`: never again.
    private func seconds(_ interval: Double) -> Duration? {
        interval.isFinite ? .seconds(interval) : nil
    }
}
