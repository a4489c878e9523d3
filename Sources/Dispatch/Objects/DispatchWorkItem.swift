import Dispatch
import SerialQueue
import Synchronization

/// A closure that can be submitted, cancelled, waited for and performed, as Dispatch's.
///
/// It may be submitted more than once. A wait or a notification is for its first run; one that comes before that run is also for the first
/// submission.
public final class DispatchWorkItem {
    let flags: DispatchWorkItemFlags
    private let block: () -> Void
    /// Has one member until the first run; and the first submission, unless that has another group: so a wait can find a deadlock.
    private let ended = WorkGroup(label: "DispatchWorkItem")
    private let isSubmitted = Atomic(false)
    private let hasRun = Atomic(false)
    private let cancelled = Atomic(false)

    /// Makes an item. Its class is that of the queue that it is submitted to.
    public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], block: @escaping () -> Void) {
        self.flags = flags
        self.block = block
        ended.enter()
    }

    deinit {
        end()
    }

    /// Runs the closure on this thread, unless it was cancelled.
    public func perform() {
        if !isCancelled { block() }
        end()
    }

    /// The group of a submission that has no other.
    var joined: WorkGroup? {
        isSubmitted.exchange(true, ordering: .relaxed) ? nil : ended
    }

    /// What waits and notifications are for. After the first run nothing: the first submission, which is a member of its group, may be pending.
    private var awaited: WorkGroup {
        // Acquiring pairs with the release in `end`: the run is visible.
        hasRun.load(ordering: .acquiring) ? WorkGroup(label: "DispatchWorkItem") : ended
    }

    private func end() {
        if !hasRun.exchange(true, ordering: .releasing) { ended.leave() }
    }

    /// Prevents runs that have not begun. They still take their turn, without the closure.
    public func cancel() {
        cancelled.store(true, ordering: .relaxed)
    }

    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool {
        cancelled.load(ordering: .relaxed)
    }

    /// Blocks the thread until the item has run, or was skipped in its turn because it was cancelled.
    ///
    /// If it can only run after the caller, the program ends with a message that names the queues. In a test on a plain `ManualPool` a wait first
    /// runs what the pool has ready.
    public func wait() {
        waitsAtHome(for: awaited) { _ = wait(within: nil) }
    }

    /// As ``wait()``, but until a time.
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
        wait(within: remaining(until: timeout))
    }

    /// As ``wait()``, but until a time of the wall clock.
    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
        wait(within: remaining(until: wallTimeout))
    }

    private func wait(within limit: Duration?) -> DispatchTimeoutResult {
        waitsAtHome(for: limit, "DispatchWorkItem.wait", by: "runs the item") { limit throws(SerialQueueError) in try awaited.wait(within: limit) }
    }

    /// Submits `execute` to the queue when the item has run.
    public func notify(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
        execute: @escaping () -> Void
    ) {
        awaited.notify(queue, flags, execute)
    }

    /// Submits another item to the queue when this one has run.
    public func notify(queue: DispatchQueue, execute: DispatchWorkItem) {
        awaited.notify(queue, execute.flags) { execute.perform() }
    }
}
