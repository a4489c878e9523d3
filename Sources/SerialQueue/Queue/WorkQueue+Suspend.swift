import CSerialQueue

extension WorkQueue {
    /// Prevents closures from starting, until balanced by as many ``resume()`` calls.
    ///
    /// A running closure continues; submitted closures wait. Never blocks. When the last reference to a suspended queue is
    /// released, the waiting closures are discarded, because nothing could resume the queue.
    ///
    /// - Returns: `false` if nothing was done: a shutdown has ended, or the queue is from before a `fork`.
    @discardableResult
    public func suspend() -> Bool {
        withExtendedLifetime(self) { sq_suspend(queue) == 0 }
    }

    /// Balances one ``suspend()``; the last one lets the queue continue. Never blocks.
    ///
    /// - Returns: `false` if nothing was done: the queue was not suspended, or is from before a `fork`.
    @discardableResult
    public func resume() -> Bool {
        withExtendedLifetime(self) { sq_resume(queue) == 0 }
    }
}
