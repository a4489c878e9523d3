import CSerialQueue
import CSerialQueueSwiftCall

/// A pool without threads, for tests: closures run when the test says so, and timers use a clock that the test advances.
///
/// Code that takes its pool as a parameter, as `init(pool: WorkerPool = .shared)`, becomes deterministic on a manual pool: nothing
/// happens between two lines of the test, and an hour of timers passes in a millisecond.
///
/// ```swift
/// let pool = ManualPool()
/// let queue = SerialQueue(label: "clock", on: pool)
/// nonisolated(unsafe) var lines: [String] = []
/// queue.async { lines.append("first") }
/// print(lines.count)  // 0
/// pool.run()
/// print(lines)  // ["first"]
/// ```
///
/// A `sync`, an `asyncAndWait`, a `shutdown` and a wait for room on a queue of such a pool first run what that queue has
/// ready, on the calling thread: a test of one thread does not hang on its own queue. Time limits, as in `sync(within:)`, use the
/// real clock.
///
/// What happens after a queue's shutdown waits for the pool, too: an actor's late jobs run, and an awaited `shutdown` that had to
/// wait returns, when the pool runs after the queue has ended. A `syncOrRun` then runs them first, on the calling thread.
///
/// Don't use this in production: what you do not run does not run. Run the pool once more at the end of a test, after queues and
/// timers were released: it then releases what they have left.
public final class ManualPool: WorkerPool, @unchecked Sendable {
    // Sendable for the reason of WorkerPool's: no state is added.

    /// Makes a pool whose clock is at zero.
    public init(label: String = "") {
        guard let pool = sq_pool_create_manual(label) else { cannotMakePool(label, stackSize: nil) }
        super.init(owning: pool)
    }

    /// Runs everything that is ready on the pool's queues, and what becomes ready meanwhile, on this thread.
    ///
    /// - Returns: How many closures it has run, or released because their queue discards.
    @discardableResult
    public func run() -> Int {
        withExtendedLifetime(self) {
            var ran = sq_pool_run(pool)
            while AfterShutdown.resume(on: pool) { ran += sq_pool_run(pool) }
            return ran
        }
    }

    /// Advances the clock, and runs what becomes ready on the way.
    ///
    /// It stops at each timer, in the order in which they are due. What waits for the end of a queue that ends on the way runs at the
    /// end of the advance. Don't call it from a closure that the pool is running.
    ///
    /// - Returns: How many closures it has run or released.
    @discardableResult
    public func advance(by duration: Duration) -> Int {
        var ran = run()
        ran += withExtendedLifetime(self) { sq_pool_advance(pool, nanoseconds(duration)) }
        ran += run()
        return ran
    }
}
