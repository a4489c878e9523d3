import Dispatch
import SerialQueue
import Synchronization

/// A counting semaphore, as Dispatch's. First come, first served.
///
/// It may be released while its value is below the one that it began with, where Dispatch crashes.
public final class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    // Sendable because Semaphore is, and the count is atomic.
    private let semaphore: SerialQueue.Semaphore
    private let waiters = Atomic(0)

    /// Makes a semaphore. Traps if the value is negative.
    public init(value: Int) {
        guard value >= 0 else { SerialQueueDispatch.valueIsNegative(value) }
        semaphore = SerialQueue.Semaphore(label: "DispatchSemaphore", value: value)
        super.init()
    }

    /// Increments the value, or wakes the thread that has waited longest.
    ///
    /// - Returns: Nonzero if a thread was waiting. (Exact unless a thread begins or ends its wait at the same time.)
    @discardableResult
    public func signal() -> Int {
        let woken = waiters.load(ordering: .relaxed) > 0 ? 1 : 0
        semaphore.signal()
        return woken
    }

    /// Decrements the value; blocks the thread while it is zero.
    public func wait() {
        if semaphore.tryWait() { return }
        waiters.add(1, ordering: .relaxed)
        semaphore.wait()
        waiters.subtract(1, ordering: .relaxed)
    }

    /// As ``wait()``, but until a time.
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
        wait(within: remaining(until: timeout))
    }

    /// As ``wait()``, but until a time of the wall clock.
    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
        wait(within: remaining(until: wallTimeout))
    }

    private func wait(within limit: Duration?) -> DispatchTimeoutResult {
        if semaphore.tryWait() { return .success }
        waiters.add(1, ordering: .relaxed)
        defer { waiters.subtract(1, ordering: .relaxed) }
        return waits(for: limit) { limit throws(SerialQueueError) in try semaphore.wait(within: limit) }
    }
}
