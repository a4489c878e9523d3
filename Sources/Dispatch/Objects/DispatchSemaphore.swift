import Dispatch
import SerialQueue
import Synchronization

/// A counting semaphore, as Dispatch's. First come, first served.
///
/// In a test on a plain `ManualPool` a wait first runs what the pool has ready.
///
/// It may be released while its value is below the one that it began with, where Dispatch crashes.
public final class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    // Sendable because Semaphore is, and the value is atomic.

    /// Below 0: the number of waits that have no permit yet. Counted here, so that a signal knows whether it wakes a thread.
    private let value: Atomic<Int>
    /// Its permits are those of threads that were woken.
    private let woken = SerialQueue.Semaphore(label: "DispatchSemaphore", value: 0)

    /// Makes a semaphore. Traps if the value is negative.
    public init(value: Int) {
        guard value >= 0 else { SerialQueueDispatch.valueIsNegative(value) }
        self.value = Atomic(value)
        super.init()
    }

    /// Increments the value, or wakes the thread that has waited longest.
    ///
    /// - Returns: Nonzero if it wakes a thread.
    @discardableResult
    public func signal() -> Int {
        // Releasing pairs with the acquire in `wait`.
        if value.add(1, ordering: .releasing).oldValue >= 0 { return 0 }
        woken.signal()
        return 1
    }

    /// Decrements the value; blocks the thread while it is zero.
    public func wait() {
        _ = wait(within: nil)
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
        if value.subtract(1, ordering: .acquiring).oldValue > 0 { return .success }
        let result = waitsAtHome(for: limit, "DispatchSemaphore.wait", by: "signals") { limit throws(SerialQueueError) in
            try woken.wait(within: limit)
        }
        if result == .timedOut, !withdraw() {
            woken.wait()
            return .success
        }
        return result
    }

    /// Takes the caller out of those that wait. Returns `false` if a signal has counted it already: its permit is there, or will be.
    private func withdraw() -> Bool {
        var found = value.load(ordering: .relaxed)
        while found < 0 {
            let result = value.weakCompareExchange(expected: found, desired: found + 1, ordering: .relaxed)
            if result.exchanged { return true }
            found = result.original
        }
        return false
    }
}
