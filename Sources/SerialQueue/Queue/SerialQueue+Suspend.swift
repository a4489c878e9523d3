import CSerialQueue

extension SerialQueue {
    /// Keeps closures from starting, until balanced by as many ``resume()`` calls.
    ///
    /// A closure that runs continues; what is submitted waits. Never blocks. When the last reference to a suspended queue is
    /// released, the waiting closures are discarded, because nothing could resume the queue.
    ///
    /// - Returns: `false` if a shutdown has ended, or the queue is from before a `fork`, and nothing was done.
    @discardableResult
    public func suspend() -> Bool {
        withExtendedLifetime(self) { sq_suspend(queue) == 0 }
    }

    /// Balances one ``suspend()``. After the last one the queue continues. Never blocks.
    ///
    /// - Returns: `false` if the queue was not suspended, or is from before a `fork`, and nothing was done.
    @discardableResult
    public func resume() -> Bool {
        withExtendedLifetime(self) { sq_resume(queue) == 0 }
    }
}
