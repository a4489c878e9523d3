import CSerialQueue
import CSerialQueueSwiftCall

/// Waits for many closures, on any queues.
///
/// A group counts its members: `async(in:_:)`, ``ConcurrentQueue/asyncBarrier(in:_:)`` and ``enter()`` add
/// one, and so does a ``WorkItem`` that is submitted `in:` the group. The end of such a closure, the item's outcome, and ``leave()`` remove
/// one. Each time the count reaches zero, the waits and notifications that were pending end; members that come later do not extend them.
/// The group can be used again.
///
/// ```swift
/// let group = WorkGroup(label: "images")
/// let queues = ["a", "b"].map { SerialQueue(label: $0, on: .shared) }
/// for queue in queues {
///     queue.async(in: group) { print("on \(queue.label)") }
/// }
/// try await group.wait()              // in synchronous code, and at top level: group.wait()
/// ```
///
/// Don't use it for child tasks: a task group does that. The last reference may be released at any time, also while there are
/// members: notifications are still submitted.
public final class WorkGroup: Sendable {
    // Sendable because every call on an sq_group_t is legal from any thread while the caller holds a reference (sq_group.h).
    // This object is that reference, and the pointer never changes.
    nonisolated(unsafe) let group: OpaquePointer

    /// Makes a group without members.
    ///
    /// - Parameter label: Names the group in messages.
    @inline(never)
    public convenience init(label: String = "") {
        self.init(label: label, from: sq_swift_caller())
    }

    private init(label: String, from caller: UnsafeRawPointer) {
        guard let group = sq_group_create(label) else { cannotMake("WorkGroup", label) }
        self.group = group
        sq__made_by(sq_group_label(group), caller)
    }

    deinit {
        sq_group_release(group)
    }

    /// The label that the group was made with.
    public var label: String {
        withExtendedLifetime(self) { String(cString: sq_group_label(group)) }
    }
}

extension WorkGroup {
    /// Adds a member, which must ``leave()``. Never blocks.
    ///
    /// Traps if more than half a billion members have entered and not left.
    public func enter() {
        let caller = sq_swift_caller()
        if withExtendedLifetime(self, { sq__group_enter(group, caller) }) != 0 { tooManyMembers(label) }
    }

    /// Removes a member that has entered. Never blocks. What was written before is visible to those that wait.
    ///
    /// - Returns: `false` if nothing was done: no member has entered, so this is one leave too many, or this is the child of a
    ///   `fork` and threads of the parent wait.
    @discardableResult
    public func leave() -> Bool {
        withExtendedLifetime(self) { sq_group_leave(group) == 0 }
    }

    /// Blocks the thread until the group has no members.
    ///
    /// Returns when the count next reaches zero. What the members wrote is visible. On a thread of a ``WorkerPool`` another
    /// thread takes over meanwhile. Members that are ready on a ``ManualPool``, or on a ``LoopPool`` that the calling thread owns, run
    /// on the calling thread.
    ///
    /// - Precondition: No member waits for the caller: none is on a queue that the caller is on. Otherwise the program ends with
    ///   a message that names the queues, also if such a member is added while the caller waits. It also ends if there is no memory
    ///   for the wait, and in the child of a `fork` where it would have to wait. ``wait(within:)`` throws instead.
    public func wait() {
        let status = withExtendedLifetime(self) { sq_group_wait(group, .max) }
        if status != 0 { waitRefused("WorkGroup", label, status) }
    }

    /// As `wait()`, but with a time limit.
    ///
    /// - Throws: `timedOut`; `deadlock`, instead of the end of the program; `noResources`; `fromBeforeFork`.
    public func wait(within limit: Duration) throws(SerialQueueError) {
        let status = withExtendedLifetime(self) { sq_group_wait(group, deadline(limit)) }
        if status != 0 { throw SerialQueueError(status: status) }
    }

    /// Suspends the caller until the group has no members. No thread is blocked.
    ///
    /// Returns when the count next reaches zero; what the members wrote is visible. May be called from an actor whose queue the
    /// members are on: the actor is suspended, so its queue runs them. It does not run what a ``ManualPool`` has ready.
    ///
    /// In the top-level code of `main.swift` Swift 6.3.1 takes the `wait()` that blocks, as in synchronous code, and refuses it if that code
    /// awaits anything. Call this in a function.
    ///
    /// - Throws: `CancellationError`, at once, if the caller is cancelled: the group may have members then. Or a
    ///   ``SerialQueueError``: `fromBeforeFork`.
    public nonisolated(nonsending) func wait() async throws {
        try await AwaitedEnd.wait(.ofGroup, group, keeping: self)
    }

    /// Submits `body` to the queue once, when the group has no members: now, or when the count next reaches zero.
    ///
    /// Notifications are submitted in the order in which they were registered. A full queue accepts it, too, and the
    /// notification keeps the queue. If the queue is shut down before that, `body` is released. Don't pass an actor's method by name:
    /// <doc:FunctionsOfActors>.
    ///
    /// - Returns: `false` if it was refused: the queue has been shut down, there was no memory, the queue's thread could not be
    ///   started, or one of them is from before a `fork`. Then `body` will not run and has been released.
    @discardableResult
    public func notify(on queue: WorkQueue, _ body: consuming sending @escaping () -> Void) -> Bool {
        var task = DelayedClosure.task(consume body)
        let status = withExtendedLifetime((self, queue)) { sq_group_notify(group, queue.queue, &task) }
        if status != 0 { DelayedClosure.takeBack(task) }
        return status == 0
    }

    /// As ``notify(on:_:)``, with which it shares the order, but `body` is a barrier: it runs alone.
    ///
    /// - Returns: `false` if it was refused, as by `notify(on:_:)`. Then `body` will not run and has been released.
    @discardableResult
    public func notifyBarrier(on queue: ConcurrentQueue, _ body: consuming sending @escaping () -> Void) -> Bool {
        var task = DelayedClosure.task(consume body)
        let status = withExtendedLifetime((self, queue)) { sq_group_notify_barrier(group, queue.queue, &task) }
        if status != 0 { DelayedClosure.takeBack(task) }
        return status == 0
    }
}

extension WorkQueue {
    /// As `async(_:)`, with `body` as a member of `group` until it has run, or has been discarded, and its captures have been
    /// released.
    ///
    /// - Returns: `false` if the queue refused, as `async(_:)` does. Then `body` will not run and has been released, and the group
    ///   has not changed.
    @discardableResult @inline(never)
    public func async(in group: WorkGroup, _ body: consuming sending @escaping () -> Void) -> Bool {
        async(in: group, consume body, from: sq_swift_caller())
    }

    func async(
        in group: WorkGroup, _ body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer
    ) -> Bool {
        let error = EscapingClosure.submit(consume body, to: queue, in: group.group, from: caller)
        withExtendedLifetime((self, group)) {}
        return error == nil
    }
}

extension WorkGroup: CustomStringConvertible {
    /// The kind and the label.
    public var description: String {
        "WorkGroup \"\(label)\""
    }
}
