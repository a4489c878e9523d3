import CSerialQueue

extension SerialQueue {
    /// A queue that does not get on.
    public struct Stall: Sendable {
        /// What lasts too long.
        public enum Kind: Sendable {
            /// A closure runs for too long.
            case running
            /// The one that has waited longest waits for too long.
            case waiting
        }

        /// Whether a closure runs or waits for too long.
        public var kind: Kind
        /// The queue's label.
        public var label: String
        /// For how long, at least.
        public var duration: Duration
        /// How many closures wait.
        public var depth: Int
        /// The queue is suspended: that is why nothing runs.
        public var isSuspended: Bool
        /// The thread that runs the closure, as the system numbers it; `nil` if nothing runs.
        public var threadID: UInt64?
        /// The label of the queue that this thread waits for; `nil` if it waits for none.
        public var waitsFor: String?
    }

    /// Calls `handler` when a closure runs, or the oldest one waits, for longer than `threshold`.
    ///
    /// It is called once per stall, on a library thread, at most a quarter of the threshold late. It replaces an earlier handler. A
    /// closure that already runs is only noticed through those that wait behind it.
    ///
    /// The handler must not wait for this queue, and should not capture it: the queue keeps the handler until ``stopWatching()``, and
    /// so would keep itself alive. ``Stall`` has the label.
    ///
    /// - Precondition: `threshold` is positive.
    /// - Returns: `false` if there was no memory or no thread for it, or the queue is from before a `fork`: nothing was done.
    @discardableResult
    public func onStall(after threshold: Duration, _ handler: @escaping @Sendable (Stall) -> Void) -> Bool {
        guard threshold > .zero else { thresholdIsNotPositive(threshold) }
        var watcher = HandlerBox.watcher(handler)
        // Less than a nanosecond is still a threshold; 0 is none to C.
        let least = max(nanoseconds(threshold), 1)
        let accepted = withExtendedLifetime(self) { sq_queue_watch(queue, least, &watcher) == 0 }
        if !accepted {
            HandlerBox.takeBack(watcher)
        }
        return accepted
    }

    /// Ends what ``onStall(after:_:)`` began, and releases the handler.
    public func stopWatching() {
        withExtendedLifetime(self) { _ = sq_queue_watch(queue, 0, nil) }
    }
}

extension SerialQueue.Stall {
    init(_ stall: sq_stall_t) {
        let waitsFor = String(cString: stall.waits_for)
        self.init(
            kind: stall.kind == SQ_STALL_RUNNING ? .running : .waiting,
            label: String(cString: stall.label),
            duration: .nanoseconds(Int64(clamping: stall.nanoseconds)),
            depth: stall.depth,
            isSuspended: stall.suspended,
            threadID: stall.thread_id == 0 ? nil : stall.thread_id,
            waitsFor: waitsFor.isEmpty ? nil : waitsFor
        )
    }
}
