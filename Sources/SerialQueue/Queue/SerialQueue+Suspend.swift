import CSerialQueue

extension SerialQueue {
    /// Keeps closures from starting, until as many ``resume()`` have come. One whose turn had come goes on; what is
    /// submitted waits. Never blocks.
    ///
    /// When the last reference to a suspended queue goes away, what waits is discarded: nobody could resume it.
    ///
    /// - Returns: `false` if a shutdown has ended, or the queue is from before a `fork`, and nothing was done.
    @discardableResult
    public func suspend() -> Bool {
        withExtendedLifetime(self) { sq_suspend(queue) == 0 }
    }

    /// Takes back one ``suspend()``. The last one lets the queue go on. Never blocks.
    ///
    /// - Returns: `false` if the queue was not suspended, or is from before a `fork`, and nothing was done.
    @discardableResult
    public func resume() -> Bool {
        withExtendedLifetime(self) { sq_resume(queue) == 0 }
    }
}
