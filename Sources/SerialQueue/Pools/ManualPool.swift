import CSerialQueue
import CSerialQueueSwiftCall

/// A pool without threads, for tests: closures run when the test says so, and timers use a clock that the test advances.
///
/// If your code takes its pool as a parameter, as in `init(pool: WorkerPool = .shared)`, a test can pass a manual pool and becomes
/// deterministic: nothing happens between two lines of the test, and an hour of timers passes in a millisecond.
///
/// ```swift
/// let pool = ManualPool()
/// let queue = SerialQueue(label: "clock", on: pool)
/// queue.async { print("second") }
/// print("first")
/// pool.run()  // prints "second"
/// ```
///
/// On a queue of such a pool, `sync`, `asyncAndWait`, `shutdown` and a wait for room first run the queue's ready closures on the
/// calling thread, so a single-threaded test does not hang on its own queue. Time limits, as in `sync(within:)`, use the real clock.
///
/// Work after a queue's shutdown also needs the pool to run: an actor's late jobs, and the end for which an awaited `shutdown` waits. A
/// `syncOrRun` after the shutdown runs the late jobs first, on the calling thread.
///
/// Don't use this in production: closures only run when you run the pool. Run the pool once more at the end of a test, after queues
/// and timers were released: this releases what they still hold.
public final class ManualPool: WorkerPool, @unchecked Sendable {
    // Sendable because WorkerPool is, and this class adds no state.

    /// Makes a pool whose clock is at zero.
    public init(label: String = "") {
        guard let pool = sq_pool_create_manual(label) else { cannotMakePool(label, stackSize: nil) }
        super.init(owning: pool)
    }

    /// Another handle of a manual pool, for SerialQueueTesting.
    package init(sharing pool: OpaquePointer) {
        super.init(owning: sq_pool_retain(pool))
    }

    /// Runs everything that is ready on the pool's queues, or becomes ready during the call, on this thread.
    ///
    /// - Returns: How many closures it has run, or released because their queue discards them.
    @discardableResult
    public func run() -> Int {
        withExtendedLifetime(self) { sq_pool_run(pool) }
    }

    /// Advances the clock, and runs what becomes ready on the way.
    ///
    /// The clock stops at the due time of each timer, in order. Don't call this from a closure that the pool is running.
    ///
    /// - Returns: How many closures it has run or released.
    @discardableResult
    public func advance(by duration: Duration) -> Int {
        withExtendedLifetime(self) { sq_pool_advance(pool, nanoseconds(duration)) }
    }
}
