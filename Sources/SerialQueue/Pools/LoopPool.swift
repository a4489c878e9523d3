import CSerialQueue
import CSerialQueueSwiftCall

/// A pool that a thread of your program runs: the main thread's queue, or a queue in an event loop.
///
/// The first thread that runs the pool, or calls ``own()``, owns it, until that thread ends. Closures of its queues run on the owner only, as those of
/// `DispatchQueue.main` run on the main thread: `async` closures and timers when the owner runs the pool, and a `sync` of another
/// thread waits for that. A `sync` of the owner first runs what is ahead in that queue, then its own closure, at once. When the owner
/// waits for a ``WorkGroup`` or a ``WorkItem``, it runs the queues of the pool that have members of the group, or the item.
///
/// ```swift
/// let main = LoopPool(label: "main")
/// let queue = SerialQueue(label: "main", on: main)
/// queue.async {
///     print("on the thread that runs the pool")
///     main.stop()
/// }
/// main.runForever()
/// ```
///
/// In another event loop, wait until ``fileDescriptor`` is readable, then call ``runSome(atMost:waitingUpTo:)``.
///
/// A queue of the pool can be the executor of a global actor, next to `@MainActor`, which belongs to another main queue: the runtime's,
/// which `RunLoop`, `dispatchMain` or an `async` main function runs.
///
/// Don't use this for queues that may run anywhere: they make no progress while the owner does something else. A `sync` from a closure
/// that the owner waits for is refused, with a message that names the queues. Shut the queues down before the owner stops running the
/// pool. After the shutdown of a queue, `syncOrRun` runs its closure on the calling thread, and an actor's late jobs run on another one.
public final class LoopPool: WorkerPool, @unchecked Sendable {
    // Sendable because WorkerPool is, and this class adds no state.

    /// Makes a pool. It has no owner yet.
    ///
    /// - Parameter label: Names the pool in deadlock messages.
    /// - Precondition: There is memory, and a file descriptor is left. Otherwise the program traps.
    public init(label: String = "") {
        guard let pool = sq_pool_create_loop(label) else { cannotMakeLoop(label) }
        super.init(owning: pool)
    }

    /// A descriptor that is readable while closures are ready or due, for `poll`, `epoll` and event loops (level-triggered).
    ///
    /// Don't read, write or close it. It is valid as long as the pool, and may occasionally become readable although nothing is ready.
    public var fileDescriptor: CInt {
        withExtendedLifetime(self) {
            let descriptor = sq_pool_fd(pool)
            guard descriptor >= 0 else { cannotRunLoop("fileDescriptor", sq_swift_errno()) }
            return descriptor
        }
    }

    /// Makes this thread the owner, as the first run does, but runs nothing.
    ///
    /// Call it on the thread that will run the pool, before that thread waits for anything: then a deadlock between a closure that it waits for
    /// and the pool ends the program with a message that names both. Without an owner they hang.
    ///
    /// - Precondition: No other thread owns the pool. Otherwise the program traps.
    public func own() {
        withExtendedLifetime(self) {
            let status = sq_pool_own(pool)
            guard status == 0 else { cannotRunLoop("own", status) }
        }
    }

    /// Runs ready closures on this thread, and returns when none is ready any more.
    ///
    /// - Parameters:
    ///   - most: How many closures it runs at most; `nil`: no limit, so it does not return as long as closures submit closures.
    ///   - limit: How long it waits if none is ready; `nil`: without a limit.
    /// - Returns: How many closures it has run, or released because their queue discards them; 0 if none became ready in time.
    /// - Precondition: No other thread owns the pool, and `most` is positive. Otherwise the program traps.
    @discardableResult
    public func runSome(atMost most: Int? = nil, waitingUpTo limit: Duration? = .zero) -> Int {
        withExtendedLifetime(self) {
            let deadline = limit == .zero ? 0 : deadline(limit)
            let ran = sq_pool_run_some(pool, most.map { max($0, 0) } ?? .max, deadline)
            let error = sq_swift_errno()
            let isIdle = Int(error) == SQ_SWIFT_EAGAIN || Int(error) == SQ_SWIFT_ETIMEDOUT
            guard ran > 0 || isIdle else { cannotRunLoop("runSome", error) }
            return ran
        }
    }

    /// As `runSome(atMost:)`, but a thread that did not own the pool before owns it only until this returns. If another thread owns it, it runs
    /// nothing: call it again.
    package func runAsGuest(atMost most: Int) {
        withExtendedLifetime(self) {
            guard sq__pool_run_as_guest(pool, most) == 0 else { return }
            let error = sq_swift_errno(), isOwned = Int(error) == SQ_SWIFT_EPERM
            guard isOwned || Int(error) == SQ_SWIFT_EAGAIN else { cannotRunLoop("runSome", error) }
        }
    }

    /// Runs the pool's closures on this thread, and waits for more, until ``stop()`` is called.
    ///
    /// On the main thread this makes the pool's queues main queues.
    ///
    /// - Precondition: No other thread owns the pool. Otherwise the program traps.
    public func runForever() {
        withExtendedLifetime(self) {
            let status = sq_pool_run_forever(pool)
            guard status == 0 else { cannotRunLoop("runForever", status) }
        }
    }

    /// Ends the innermost ``runForever()`` of the pool, or the next one if none runs. Any thread may call it.
    ///
    /// It returns after the batch of closures that it runs now: at most 512, all of one queue.
    public func stop() {
        withExtendedLifetime(self) {
            let status = sq_pool_stop(pool)
            guard status == 0 else { cannotRunLoop("stop", status) }
        }
    }
}
