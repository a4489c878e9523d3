import Dispatch
import SerialQueue

/// A timer: ``DispatchSource/makeTimerSource(flags:queue:)``.
public protocol DispatchSourceTimer: DispatchSourceProtocol {}

extension DispatchSource: DispatchSourceTimer {
    /// Makes an inactive timer on a queue; `nil`: on the default global queue.
    public class func makeTimerSource(flags: TimerFlags = [], queue: DispatchQueue? = nil) -> any DispatchSourceTimer {
        DispatchSource(on: queue)
    }
}

extension DispatchSourceTimer {
    /// Fires at `deadline`, then every `interval`.
    ///
    /// If `deadline` has passed when the source begins, it fires at once, and `data` counts all times since then.
    public func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        start(distance(to: deadline), duration(interval), leeway)
    }

    /// Fires at `deadline`, then every `interval` seconds.
    public func schedule(
        deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        start(distance(to: deadline), seconds(interval), leeway)
    }

    /// Fires at `wallDeadline`, as the wall clock is now, then every `interval`.
    public func schedule(
        wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval = .never,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        start(distance(to: wallDeadline), duration(interval), leeway)
    }

    /// Fires at `wallDeadline`, as the wall clock is now, then every `interval` seconds.
    public func schedule(
        wallDeadline: DispatchWallTime, repeating interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {
        start(distance(to: wallDeadline), seconds(interval), leeway)
    }

    /// As `schedule(deadline:repeating:leeway:)`, once.
    @available(*, deprecated, renamed: "schedule(deadline:leeway:)")
    public func scheduleOneshot(deadline: DispatchTime, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        schedule(deadline: deadline, leeway: leeway)
    }

    /// As `schedule(wallDeadline:repeating:leeway:)`, once.
    @available(*, deprecated, renamed: "schedule(wallDeadline:leeway:)")
    public func scheduleOneshot(wallDeadline: DispatchWallTime, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        schedule(wallDeadline: wallDeadline, leeway: leeway)
    }

    /// As `schedule(deadline:repeating:leeway:)`.
    @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
    public func scheduleRepeating(deadline: DispatchTime, interval: DispatchTimeInterval, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        schedule(deadline: deadline, repeating: interval, leeway: leeway)
    }

    /// As `schedule(deadline:repeating:leeway:)`, with seconds.
    @available(*, deprecated, renamed: "schedule(deadline:repeating:leeway:)")
    public func scheduleRepeating(deadline: DispatchTime, interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        schedule(deadline: deadline, repeating: interval, leeway: leeway)
    }

    /// As `schedule(wallDeadline:repeating:leeway:)`.
    @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
    public func scheduleRepeating(wallDeadline: DispatchWallTime, interval: DispatchTimeInterval, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
    }

    /// As `schedule(wallDeadline:repeating:leeway:)`, with seconds.
    @available(*, deprecated, renamed: "schedule(wallDeadline:repeating:leeway:)")
    public func scheduleRepeating(wallDeadline: DispatchWallTime, interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)) {
        schedule(wallDeadline: wallDeadline, repeating: interval, leeway: leeway)
    }

    private func start(_ delay: Duration?, _ interval: Duration?, _ leeway: DispatchTimeInterval) {
        (self as! DispatchSource).schedule(after: delay, every: interval, leeway: duration(leeway) ?? .zero)
    }

    /// `nil`: never again.
    private func seconds(_ interval: Double) -> Duration? {
        interval.isFinite ? .seconds(interval) : nil
    }
}
