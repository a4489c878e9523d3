import Dispatch
import SerialQueue

extension DispatchQueue {
    /// Submits a closure at a time. Under a test the pool's clock counts, and the delay is rounded up to milliseconds.
    public func asyncAfter(
        deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable () -> Void
    ) {
        submit(after: remaining(until: deadline), flags, work)
    }

    /// Submits a closure at a time of the wall clock, as that clock is at the call.
    public func asyncAfter(
        wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable () -> Void
    ) {
        submit(after: remaining(until: wallDeadline), flags, work)
    }

    /// Submits an item at a time.
    public func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) {
        nonisolated(unsafe) let item = execute
        submit(after: remaining(until: deadline), item.flags, { item.perform() })
    }

    /// Submits an item at a time of the wall clock.
    public func asyncAfter(wallDeadline: DispatchWallTime, execute: DispatchWorkItem) {
        nonisolated(unsafe) let item = execute
        submit(after: remaining(until: wallDeadline), item.flags, { item.perform() })
    }

    /// The signature of Dispatch, for protocols that have it as a requirement.
    @_disfavoredOverload
    public func asyncAfter(
        deadline: DispatchTime, qos: DispatchQoS, flags: DispatchWorkItemFlags,
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) {
        submit(after: remaining(until: deadline), flags, work)
    }

    private func submit(
        after delay: Duration?, _ flags: DispatchWorkItemFlags, _ work: @escaping @Sendable () -> Void
    ) {
        guard let delay else { return }  // never
        let body = enclosed(work), due = onClock(delay)
        guard barriers(flags)?.asyncBarrierAfter(due, body) ?? queue.asyncAfter(due, body) else { refused("asyncAfter", label) }
    }

    /// The delay for the core. The program may have read the real clock a moment ago: under a test that must not decide which of two comes first.
    func onClock(_ delay: Duration?) -> Duration {
        guard let delay else { return .forever }
        guard manual != nil else { return delay }
        let (seconds, attoseconds) = delay.components
        return .seconds(seconds) + .milliseconds((attoseconds + (attoseconds > 0 ? 999_999_999_999_999 : 0)) / 1_000_000_000_000_000)
    }
}
