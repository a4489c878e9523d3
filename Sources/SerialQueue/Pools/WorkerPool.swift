import CSerialQueue
import CSerialQueueSwiftCall

/// Threads that several queues share.
///
/// A queue on a pool has all guarantees of a queue, but its `async` closures run on a thread of the pool. An idle queue then costs
/// about 200 bytes, so a program can have a million of them. Queues on one pool take turns: after a batch of closures, the next
/// queue runs.
///
/// Don't use a pool for a queue whose closures block for long on anything other than a queue: give that queue its own thread. Closures that compute
/// do not count as blocked: while as many compute as the pool has threads, its other queues wait.
///
/// Releasing the last reference never blocks. Queues keep their pool alive: its threads end with the last queue.
public class WorkerPool: @unchecked Sendable {
    // Sendable because every call on an sq_pool_t is legal from any thread while the caller holds a reference (sq_pool.h).
    // This object is that reference, and the pointer never changes. Unchecked because the class has subclasses, ManualPool
    // and LoopPool; they add no state.
    package let pool: OpaquePointer

    /// Takes over one reference from the caller.
    init(owning pool: OpaquePointer) {
        self.pool = pool
        SwiftABI.check
    }

    deinit {
        sq_pool_release(pool)
    }

    /// Makes a pool and starts its first thread; the others start when they are needed.
    ///
    /// The first pool or timer of a process also starts one timer thread, which all of them share.
    ///
    /// - Parameters:
    ///   - label: Names the threads in debuggers and `top`; if it has more than 15 bytes, by the part after the last dot.
    ///   - threads: How many closures run at the same time at most; with 1, queues never run at the same time. A thread that
    ///     waits in a call of this library, such as a nested `sync`, does not count. `nil`: about one per processor, and more, up
    ///     to 64, while closures block. Traps if it is not positive, or does not fit into 31 bits.
    ///   - stackSize: The stack size of each thread in bytes; `nil`: the system's default. Traps if no thread can have such a stack.
    ///   - service: What the threads ask the system for when they start.
    /// - Precondition: There is memory, and a thread can be started. Otherwise the program traps.
    public convenience init(
        label: String = "", threads: Int? = nil, stackSize: Int? = nil, service: ServiceClass = .default
    ) {
        var options = sq_swift_pool_options()
        options.service = service.inC
        if let threads {
            guard threads > 0 else { threadsAreNotPositive(label, threads) }
            // The limit of the C core, which would return the same error as for the stack size.
            guard threads <= UInt32.max / 2 else { threadsAreTooMany(label, threads) }
            options.threads = threads
        }
        if let stackSize {
            // In C, 0 means the default; here it is as invalid as any other size below the minimum.
            options.stack_size = stackSize > 0 ? stackSize : 1
        }
        guard let pool = sq_pool_create(label, &options) else {
            cannotMakePool(label, stackSize: stackSize)
        }
        self.init(owning: pool)
    }

    /// The pool that the whole process shares.
    ///
    /// It has about one thread per processor that the process may use, and more, up to 64, while closures block. The pool never
    /// ends. Don't use it in the child of a `fork`, where it still belongs to the parent: make a new pool there.
    public static let shared: WorkerPool = {
        guard let pool = sq_pool_shared() else { cannotMakePool("shared", stackSize: nil) }
        return WorkerPool(owning: sq_pool_retain(pool))
    }()
}
