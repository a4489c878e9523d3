import CSerialQueue
import CSerialQueueSwiftCall

/// Threads that several queues share.
///
/// A queue on a pool has all guarantees of a queue, but its `async` closures run on a thread of the pool. An idle queue then costs
/// some 200 bytes, so a program can have a million of them. Queues on one pool take turns: after a batch of closures a queue
/// goes to the end of the line.
///
/// Don't use a pool for a queue whose closures block for long on something other than a queue: give it a thread of its own.
///
/// Releasing the last reference never blocks. Queues keep their pool: its threads end with the last queue.
public class WorkerPool: @unchecked Sendable {
    // Sendable because every call on an sq_pool_t is legal from any thread while the caller holds a reference (sq_pool.h).
    // This object is that reference, and the pointer never changes. Unchecked because the class has a subclass, ManualPool,
    // which adds no state.
    let pool: OpaquePointer

    /// Takes over one reference from the caller.
    init(owning pool: OpaquePointer) {
        self.pool = pool
    }

    deinit {
        sq_pool_release(pool)
    }

    /// Makes a pool and starts its first thread; the others start when they are needed.
    ///
    /// The first pool or timer of a process also starts one thread that all of them share.
    ///
    /// Traps if there is no memory or no thread can be started.
    ///
    /// - Parameters:
    ///   - label: Names the threads in debuggers and `top`: of more than 15 bytes the part after the last dot.
    ///   - threads: How many closures it runs at a time at most; with 1, queues never run at the same time. A thread that waits
    ///     in a call of this library, such as a nested `sync`, does not count. `nil`: about one per processor, and more, up
    ///     to 64, while closures block. Traps if it is not positive, or does not fit into 31 bits.
    ///   - stackSize: Bytes of stack of each thread; `nil` for the system's default.
    public convenience init(label: String = "", threads: Int? = nil, stackSize: Int? = nil) {
        var options = sq_swift_pool_options()
        if let threads {
            guard threads > 0 else { threadsAreNotPositive(label, threads) }
            // C's own limit; its error would be the same as for the stack.
            guard threads <= UInt32.max / 2 else { threadsAreTooMany(label, threads) }
            options.threads = threads
        }
        if let stackSize {
            // 0 means the default to C; here it is as wrong as any other number below the least.
            options.stack_size = stackSize > 0 ? stackSize : 1
        }
        guard let pool = sq_pool_create(label, &options) else {
            cannotMakePool(label, stackSize: stackSize)
        }
        self.init(owning: pool)
    }

    /// The process's own pool: about one thread per processor that the process may use, and more, up to 64, while
    /// closures block. Its threads never end for good. In the child of a `fork` it is the parent's: make a pool there.
    public static let shared: WorkerPool = {
        guard let pool = sq_pool_shared() else { cannotMakePool("shared", stackSize: nil) }
        return WorkerPool(owning: sq_pool_retain(pool))
    }()
}
