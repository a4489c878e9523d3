import Dispatch
import SerialQueue

extension DispatchQueue {
    /// Runs a closure in its turn, on this thread, and returns its result.
    ///
    /// On the main queue, or one that targets it, a closure of another thread runs on the main queue's thread: the caller's thread-locals are missing
    /// there, and the closure is not isolated to the caller's actor either, although the compiler does not detect that.
    ///
    /// A wait that would never end traps with a message that names the queues and threads.
    @inlinable
    public func sync<T>(execute work: () throws -> T) rethrows -> T {
        let queue = queue
        return isPlain ? try queue.sync(work) : try entering { try queue.sync { try entered(work) } }
    }

    /// As `sync(execute:)`, as a barrier if the flags say so.
    @inlinable
    public func sync<T>(flags: DispatchWorkItemFlags, execute work: () throws -> T) rethrows -> T {
        guard let barriers = barriers(flags) else { return try sync(execute: work) }
        return isPlain ? try barriers.syncBarrier(work) : try entering { try barriers.syncBarrier { try entered(work) } }
    }

    /// Runs an item in its turn.
    public func sync(execute workItem: DispatchWorkItem) {
        sync(flags: workItem.flags) { workItem.perform() }
    }

    /// As `sync(execute:)`: on this thread, which Dispatch permits, except on the main queue.
    @inlinable
    public func asyncAndWait<T>(execute work: () throws -> T) rethrows -> T {
        try sync(execute: work)
    }

    /// As `sync(flags:execute:)`.
    @inlinable
    public func asyncAndWait<T>(flags: DispatchWorkItemFlags, execute work: () throws -> T) rethrows -> T {
        try sync(flags: flags, execute: work)
    }

    /// As `sync(execute:)` with an item.
    public func asyncAndWait(execute workItem: DispatchWorkItem) {
        sync(execute: workItem)
    }
}
