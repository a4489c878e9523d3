import CSerialQueue
import CSerialQueueSwiftCall

/// A pool without threads, for tests: closures run when the test says so, and timers go by a clock that the test moves.
///
/// Code that is given its pool, as `init(pool: WorkerPool = .shared)`, becomes deterministic on one of these: nothing happens
/// between two lines of the test, and an hour of timers passes in a millisecond.
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
/// ready, on the calling thread: a test of one thread does not hang on its own queue. Deadlines, as of
/// `sync(within:)`, are of the real clock.
///
/// What comes after a queue's shutdown waits for the pool, too: an actor's late jobs run, and an awaited `shutdown` that had to
/// wait returns, when the pool is run after the queue has ended. A `syncOrRun` then runs them first, on the calling thread.
///
/// Not for production: what nobody runs does not run. So run it once more at the end, when queues and timers have been let go
/// of: what they have left is released then.
public final class ManualPool: WorkerPool, @unchecked Sendable {
    // Sendable for the reason of WorkerPool's: no state is added.

    /// Makes a pool whose clock stands at zero.
    public init(label: String = "") {
        guard let pool = sq_pool_create_manual(label) else { cannotMakePool(label, stackSize: nil) }
        super.init(owning: pool)
    }

    /// Runs what the pool's queues have ready, and what becomes ready meanwhile, on this thread, until nothing is.
    ///
    /// - Returns: How many closures it has run, or let go of because their queue discards.
    @discardableResult
    public func run() -> Int {
        withExtendedLifetime(self) {
            var ran = sq_pool_run(pool)
            while AfterShutdown.resume(on: pool) { ran += sq_pool_run(pool) }
            return ran
        }
    }

    /// Moves the clock forward, stopping at each timer on the way, in the order in which they are due, and running what
    /// becomes ready there. What waits for the end of a queue that ends on the way runs at the end of the advance.
    ///
    /// Not from a closure that the pool itself is running.
    ///
    /// - Returns: How many closures it has run, or let go of.
    @discardableResult
    public func advance(by duration: Duration) -> Int {
        var ran = run()
        ran += withExtendedLifetime(self) { sq_pool_advance(pool, nanoseconds(duration)) }
        ran += run()
        return ran
    }
}
