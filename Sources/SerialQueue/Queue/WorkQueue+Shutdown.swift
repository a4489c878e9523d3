import CSerialQueue

extension WorkQueue {
    /// What a shutdown does with waiting closures.
    public enum ShutdownMode: Sendable {
        /// They run.
        case drain
        /// They and their captures are released. Callers that wait in a `sync` are refused.
        case discard
    }

    /// Accepts no more closures, and waits until the last one has ended.
    ///
    /// May be called again, also to change a drain into a discard. A suspended queue drains after it is resumed. After a return
    /// without an error, the queue's thread no longer accesses any of the program's memory.
    ///
    /// - Parameters:
    ///   - mode: Whether waiting closures run or are discarded.
    ///   - limit: How long to wait; `nil`: without limit.
    /// - Throws: `timedOut`: the shutdown continues in the background. `deadlock`: the same, because the queue waits for the
    ///   caller. `noResources`, `fromBeforeFork`: nothing was done.
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
