import Dispatch
import SerialQueue

// Transparent, as those of WorkQueue: also in a debug build the call site is the user's, and the types are known, of which the runtime would
// otherwise look up some at each call.
extension DispatchQueue {
    /// Runs a closure in its turn, on this thread, and returns its result.
    ///
    /// On the main queue, or one that targets it, a closure of another thread runs on the main queue's thread: the caller's thread-locals are missing
    /// there, and the closure is not isolated to the caller's actor either, although the compiler does not detect that.
    ///
    /// A wait that would never end traps with a message that names the queues and threads.
    @_transparent
    public func sync<T>(execute work: () throws -> T) rethrows -> T {
        let queue = queue
        return isPlain ? try queue.sync(work) : try syncEntered(queue, work)
    }

    /// For a queue that is not plain.
    @inlinable @inline(never)
    func syncEntered<T>(_ queue: WorkQueue, _ work: () throws -> T) rethrows -> T {
        try entering { try queue.sync { try entered(work) } }
    }

    /// As `sync(execute:)`, as a barrier if the flags say so.
    @_transparent
    public func sync<T>(flags: DispatchWorkItemFlags, execute work: () throws -> T) rethrows -> T {
        guard let barriers = barriers(flags) else { return try sync(execute: work) }
        return isPlain ? try barriers.syncBarrier(work) : try syncEntered(asBarrierOn: barriers, work)
    }

    /// The same, as a barrier.
    @inlinable @inline(never)
    func syncEntered<T>(asBarrierOn barriers: ConcurrentQueue, _ work: () throws -> T) rethrows -> T {
        try entering { try barriers.syncBarrier { try entered(work) } }
    }

    /// Runs an item in its turn.
    public func sync(execute workItem: DispatchWorkItem) {
        sync(flags: workItem.flags) { workItem.perform() }
    }

    /// As `sync(execute:)`: on this thread, which Dispatch permits, except on the main queue.
    @_transparent
    public func asyncAndWait<T>(execute work: () throws -> T) rethrows -> T {
        try sync(execute: work)
    }

    /// As `sync(flags:execute:)`.
    @_transparent
    public func asyncAndWait<T>(flags: DispatchWorkItemFlags, execute work: () throws -> T) rethrows -> T {
        try sync(flags: flags, execute: work)
    }

    /// As `sync(execute:)` with an item.
    public func asyncAndWait(execute workItem: DispatchWorkItem) {
        sync(execute: workItem)
    }
}
