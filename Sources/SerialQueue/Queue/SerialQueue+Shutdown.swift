import CSerialQueue

extension SerialQueue {
    /// What becomes of closures that wait when a queue is shut down.
    public enum ShutdownMode: Sendable {
        /// They run.
        case drain
        /// They and their captures are released; callers that wait in a `sync` are refused.
        case discard
    }

    /// Accepts no more closures, and waits until the last one has ended.
    ///
    /// May be called again, also to turn a drain into a discard. A suspended queue drains when it is resumed. After a return without
    /// an error the queue's thread accesses nothing of the program any more.
    ///
    /// - Parameters:
    ///   - mode: What becomes of closures that wait.
    ///   - limit: How long to wait; `nil`: without limit.
    /// - Throws: `timedOut`: the shutdown continues in the background. `deadlock`: the same, because the caller is on this
    ///   queue, or on one that it waits for. `noResources`, `fromBeforeFork`: nothing was done.
    public func shutdown(
        _ mode: ShutdownMode = .drain,
        within limit: Duration? = nil
    ) throws(SerialQueueError) {
        let status = withExtendedLifetime(self) {
            sq_shutdown(queue, mode == .drain ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, deadline(limit))
        }
        if status != 0 { throw SerialQueueError(status: status) }
    }
}
