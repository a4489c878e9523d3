import CSerialQueue
import CSerialQueue.Private
import CSerialQueueSwiftCall

extension WorkQueue {
    /// A queue that makes no progress.
    public struct Stall: Sendable {
        /// What takes too long.
        public enum Kind: Sendable {
            /// A closure has been running for too long.
            case running
            /// The oldest closure has been waiting for too long.
            case waiting
        }

        /// Whether a closure has been running or waiting for too long.
        public var kind: Kind
        /// The queue's label.
        public var label: String
        /// How long it has taken so far, at least.
        public var duration: Duration
        /// The number of waiting closures.
        public var depth: Int
        /// Whether the queue is suspended, which prevents closures from starting.
        public var isSuspended: Bool
        /// The system's ID of the thread that runs the closure; `nil` if nothing runs.
        public var threadID: UInt64?
        /// The label of what this thread waits for; of a semaphore, group or item without a label, the function that made it; `nil` if it does
        /// not wait.
        public var waitsFor: String?
        /// The function that submitted the running closure, such as `App.Store.save() -> () (App+0x5c1f)`; `nil` if nothing runs, or it is
        /// not known.
        ///
        /// It is known for closures that were submitted while the queue was watched. `addr2line -e App 0x5c1f` prints the line.
        public var submittedFrom: String?
        /// Whether no thread runs the ``LoopPool`` of the queue, which prevents closures from starting: none has yet, or it has ended.
        public var isUnowned = false
        /// The queue's number, by which dumps and debuggers name it in hexadecimal; a queue that is made later may get it again. 0 in a stall that
        /// you make.
        public var number: UInt64 = 0
    }

    /// Calls `handler` when a closure runs, or the oldest one waits, for longer than `threshold`.
    ///
    /// The handler is called once per stall, on a library thread, at most about a quarter of the threshold late. It replaces an earlier
    /// handler. A closure that is already running is only noticed through closures that wait behind it.
    ///
    /// The handler must not wait for a watched queue, which may be stalled, too. It should not capture the queue: the queue keeps the handler until
    /// ``stopWatching()``, and would keep itself alive. ``Stall`` has the label.
    ///
    /// - Precondition: `threshold` is positive. Otherwise the program traps.
    /// - Returns: `false` if nothing was done: there was no memory or no thread, or the queue is from before a `fork`.
    @discardableResult
    public func onStall(after threshold: Duration, _ handler: @escaping @Sendable (Stall) -> Void) -> Bool {
        guard threshold > .zero else { thresholdIsNotPositive(threshold) }
        var watcher = HandlerBox.watcher(handler)
        // A positive threshold below one nanosecond is legal, but C refuses 0.
        let least = max(nanoseconds(threshold), 1)
        let accepted = withExtendedLifetime(self) { sq_queue_watch(queue, least, &watcher) == 0 }
        if !accepted {
            HandlerBox.takeBack(watcher)
        }
        return accepted
    }

    /// Watches each queue that is made from now on, as the call of one queue does: at the start of the program, all of its queues.
    ///
    /// A queue keeps the handler that it was made with until it is gone, is given a handler of its own, or is no longer watched.
    ///
    /// - Precondition: `threshold` is positive. Otherwise the program traps.
    /// - Returns: `false` if nothing was done: there was no memory.
    @discardableResult
    public static func onStallOfAny(after threshold: Duration, _ handler: @escaping @Sendable (Stall) -> Void) -> Bool {
        guard threshold > .zero else { thresholdIsNotPositive(threshold) }
        var watcher = HandlerBox.watcher(handler)
        let accepted = sq_watch_all(max(nanoseconds(threshold), 1), &watcher) == 0
        if !accepted {
            HandlerBox.takeBack(watcher)
        }
        return accepted
    }

    /// Queues that are made from now on are not watched.
    public static func stopWatchingAll() {
        _ = sq_watch_all(0, nil)
    }

    /// Ends the watching that ``onStall(after:_:)`` started, and releases the handler.
    public func stopWatching() {
        withExtendedLifetime(self) { _ = sq_queue_watch(queue, 0, nil) }
    }
}

extension WorkQueue.Stall {
    init(_ stall: sq_stall_t) {
        let waitsFor = String(cString: stall.waits_for)
        self.init(
            kind: stall.kind == SQ_STALL_RUNNING ? .running : .waiting,
            label: String(cString: stall.label),
            duration: .nanoseconds(Int64(clamping: stall.nanoseconds)),
            depth: stall.depth,
            isSuspended: stall.suspended,
            threadID: stall.thread_id == 0 ? nil : stall.thread_id,
            waitsFor: waitsFor.isEmpty ? nil : nameOfWaitedFor(waitsFor),
            submittedFrom: stall.caller.map(nameOfSite),
            isUnowned: stall.unowned,
            number: stall.number
        )
    }
}

/// "made by" and a function stand in place of a label.
private func nameOfWaitedFor(_ text: String) -> String {
    let maker = "made by "
    return text.hasPrefix(maker) ? maker + demangled(String(text.dropFirst(maker.count))) : text
}

/// The function that the call site is in, and its address in its file.
private func nameOfSite(_ caller: UnsafeRawPointer) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { text in
        sq__site_text(caller, text.baseAddress!, text.count)
        return demangled(String(cString: text.baseAddress!))
    }
}

/// A site as the core writes it, with the function's name as it stands in the source.
private func demangled(_ text: String) -> String {
    guard text.hasPrefix("$s"), let end = text.firstIndex(of: " "), let name = sq_swift_demangle(String(text[..<end])) else { return text }
    defer { sq_swift_free(name) }
    return String(cString: name) + text[end...]
}
