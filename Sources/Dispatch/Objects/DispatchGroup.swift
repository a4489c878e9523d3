import Dispatch
import SerialQueue

/// Waits for many closures, as Dispatch's group.
///
/// A wait for a member that is behind the caller ends the program with a message that names the queues; one with a timeout ends at it. In a test on
/// a plain `ManualPool` a wait first runs what the pool has ready.
public final class DispatchGroup: DispatchObject, @unchecked Sendable {
    // Sendable because WorkGroup is.
    let group = WorkGroup(label: "DispatchGroup")

    /// Makes a group without members.
    public override init() {
        super.init()
    }

    /// Adds a member, which must ``leave()``.
    public func enter() {
        group.enter()
    }

    /// Removes a member. Traps if none has entered.
    public func leave() {
        guard group.leave() else { leftTooOften() }
    }

    /// Blocks the thread until the group has no members.
    public func wait() {
        waitsAtHome(for: group) { _ = wait(within: nil) }
    }

    /// As ``wait()``, but until a time.
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
        wait(within: remaining(until: timeout))
    }

    /// As ``wait()``, but until a time of the wall clock.
    public func wait(wallTimeout timeout: DispatchWallTime) -> DispatchTimeoutResult {
        wait(within: remaining(until: timeout))
    }

    private func wait(within limit: Duration?) -> DispatchTimeoutResult {
        waitsAtHome(for: limit, "DispatchGroup.wait", by: "leaves the group") { limit throws(SerialQueueError) in try group.wait(within: limit) }
    }

    /// Submits `work` to the queue when the group has no members: now, or when the count next reaches zero.
    public func notify(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue,
        execute work: @escaping () -> Void
    ) {
        group.notify(queue, flags, work)
    }

    /// Submits an item when the group has no members.
    public func notify(queue: DispatchQueue, work: DispatchWorkItem) {
        group.notify(queue, work.flags) { work.perform() }
    }
}

extension WorkGroup {
    /// Submits `work` to the queue when the group has no members, as a barrier if the flags say so.
    func notify(_ queue: DispatchQueue, _ flags: DispatchWorkItemFlags, _ work: @escaping () -> Void) {
        // Only the queue's thread uses it from now on.
        nonisolated(unsafe) let work = work
        let body = queue.enclosed { work() }
        let accepted = queue.barriers(flags).map { notifyBarrier(on: $0, body) } ?? notify(on: queue.queue, body)
        guard accepted else { refused("notify", queue.label) }
    }
}
