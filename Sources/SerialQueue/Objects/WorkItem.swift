import CSerialQueue
import CSerialQueue.Private
import CSerialQueueSwiftCall

/// A closure that can be cancelled, and whose outcome can be waited for. It runs at most once, unless it is made to repeat.
///
/// ```swift
/// let queue = SerialQueue(label: "com.example.thumbnails")
/// let item = WorkItem(label: "thumbnail") { print("drawn") }
/// queue.asyncAfter(.seconds(1), item)
/// item.cancel()  // never runs, and what it captured has been released
/// ```
///
/// Submit it by `queue.async(item)` or `queue.asyncAfter(delay, item)`; they return `false` if it was refused. ``perform()`` runs it on the
/// calling thread instead.
///
/// An item has exactly one outcome: its closure has returned, or will never run. The outcome is visible to others only after the
/// closure and its captures have been released.
///
/// An item that `repeats` may be submitted any number of times, also while it waits or runs. Each submission has its own outcome. Waits and
/// notifications are for the latest submission or, if there is none yet, for the first one to come. A refused submission does not count. Earlier
/// submissions may still wait or run when a wait ends: a ``WorkGroup`` waits for all of them. The closure and its captures are released when no
/// handle and no submission is left.
///
/// ```swift
/// let queue = SerialQueue(label: "com.example.pictures")
/// let redraw = WorkItem(label: "redraw", repeats: true) { print("drawn") }
/// queue.async(redraw)
/// queue.async(redraw)  // drawn twice
/// ```
///
/// Don't use it if you neither cancel it nor wait for it: `async(_:)` costs less. In a task,
/// ``WorkQueue/run(_:)-(()->Result)`` does both.
///
/// A `WorkItem` is a handle. Two handles are equal if they stand for the same item. A submitted item also runs after its last
/// handle was released. If it was never submitted, that release is its outcome: the closure is released.
public final class WorkItem: Sendable {
    // Sendable because every call on an sq_item_t is legal from any thread while the caller holds a reference (sq_item.h). This
    // object is that reference, and the pointer never changes.
    nonisolated(unsafe) let item: OpaquePointer

    /// How an item ended.
    public enum Outcome: Sendable, Hashable {
        /// Its closure has returned.
        case ran
        /// It will never run: it was cancelled, or its queue has discarded it.
        case cancelled
    }

    /// Takes over one reference from the caller.
    init(owning item: OpaquePointer) {
        self.item = item
    }

    deinit {
        sq_item_release(item)
    }

    /// Makes an item that runs `body`.
    ///
    /// - Parameters:
    ///   - label: Names the item in messages.
    ///   - isBarrier: Whether it runs alone on a ``ConcurrentQueue``, as a closure of ``ConcurrentQueue/asyncBarrier(_:)``.
    ///   - body: Runs on the queue that the item is submitted to. Released when it has run, or when it is certain that it never will.
    ///     Don't pass an actor's method by name: <doc:FunctionsOfActors>.
    @inline(never)
    public convenience init(label: String = "", isBarrier: Bool = false, _ body: consuming sending @escaping () -> Void) {
        let caller = sq_swift_caller()
        self.init(owning: Self.make(label, DelayedClosure.task(consume body, repeats: false), false, isBarrier))
        sq__made_by(sq_item_label(self.item), caller)
    }

    /// Makes an item that may be submitted, and performed, more than once.
    ///
    /// - Parameters:
    ///   - label: Names the item in messages.
    ///   - repeats: Whether it repeats.
    ///   - isBarrier: Whether it runs alone on a ``ConcurrentQueue``, as a closure of ``ConcurrentQueue/asyncBarrier(_:)``.
    ///   - body: Runs on the queues that the item is submitted to, on several of them possibly at the same time. Released with the last handle,
    ///     when no submission is left. Don't pass an actor's method by name: <doc:FunctionsOfActors>.
    @inline(never)
    public convenience init(label: String = "", repeats: Bool, isBarrier: Bool = false, _ body: @escaping @Sendable () -> Void) {
        let caller = sq_swift_caller()
        self.init(owning: Self.make(label, DelayedClosure.task(body, repeats: repeats), repeats, isBarrier))
        sq__made_by(sq_item_label(self.item), caller)
    }

    /// Makes an item whose `body` can check whether it was cancelled.
    ///
    /// ```swift
    /// let item = WorkItem { item in
    ///     for step in 1...1000 where !item.isCancelled { print(step) }
    /// }
    /// item.cancel()
    /// ```
    ///
    /// A closure that captures its own item instead keeps the item alive until it has run or is cancelled.
    ///
    /// - Parameters:
    ///   - label: Names the item in messages.
    ///   - isBarrier: Whether it runs alone on a ``ConcurrentQueue``.
    ///   - body: Gets a handle of the item.
    @inline(never)
    public convenience init(label: String = "", isBarrier: Bool = false, _ body: consuming sending @escaping (WorkItem) -> Void) {
        let caller = sq_swift_caller()
        let task = ItemClosure.task(consume body, repeats: false)
        let item = Self.make(label, task, false, isBarrier)
        ItemClosure.set(item, in: task)
        self.init(owning: item)
        sq__made_by(sq_item_label(self.item), caller)
    }

    /// Makes an item that may be submitted, and performed, more than once, and whose `body` gets a handle of it.
    ///
    /// - Parameters:
    ///   - label: Names the item in messages.
    ///   - repeats: Whether it repeats.
    ///   - isBarrier: Whether it runs alone on a ``ConcurrentQueue``.
    ///   - body: Gets a handle of the item. It may run at the same time on several queues.
    @inline(never)
    public convenience init(label: String = "", repeats: Bool, isBarrier: Bool = false, _ body: @escaping @Sendable (WorkItem) -> Void) {
        let caller = sq_swift_caller()
        let task = ItemClosure.task(body, repeats: repeats)
        let item = Self.make(label, task, repeats, isBarrier)
        ItemClosure.set(item, in: task)
        self.init(owning: item)
        sq__made_by(sq_item_label(self.item), caller)
    }

    private static func make(_ label: String, _ task: sq_task_t, _ repeats: Bool, _ isBarrier: Bool) -> OpaquePointer {
        var task = task, options = sq_swift_item_options()
        options.flags |= repeats ? SQ_ITEM_REPEATS.rawValue : 0
        options.flags |= isBarrier ? SQ_ITEM_BARRIER.rawValue : 0
        guard let item = sq_item_create_with(label, &task, &options) else { cannotMake("WorkItem", label) }
        return item
    }

    /// The label that the item was made with.
    public var label: String {
        withExtendedLifetime(self) { String(cString: sq_item_label(item)) }
    }
}

extension WorkItem {
    /// Runs the item on the calling thread, at once, in no queue's turn.
    ///
    /// What waits for it continues when its closure has returned. A wait for it inside its closure is a deadlock, which is reported. Don't
    /// use it to run a closure in order with others: ``WorkQueue/sync(_:)`` does that.
    ///
    /// - Returns: `false` if it did not run: it was submitted, performed or cancelled before, or is from before a `fork`. An item that
    ///   repeats runs once more; `false` if it was cancelled before, there was no memory, or it is from before a `fork`.
    @discardableResult
    public func perform() -> Bool {
        withExtendedLifetime(self) { sq_item_perform(item) == 0 }
    }

    /// Cancels the item, if it has not started. Never blocks.
    ///
    /// Legal before it is submitted: then it never can be. The closure is released before the call returns, on this thread, with no
    /// lock held and the queue not current. The item's depth and its room in the queue are free at once, and it counts as withdrawn.
    ///
    /// If the item repeats, none of its submissions starts after this, and none is accepted: the last one is withdrawn, and earlier ones
    /// are skipped in their turns. The closure is kept until the last handle is released. The result is about the last submission; an earlier one
    /// that runs continues.
    ///
    /// An empty slot, 32 bytes, remains in the queue until its turn.
    ///
    /// - Warning: Don't call it inside `onCancel` of `withTaskCancellationHandler`. Swift runs that under a lock of the task, and
    ///   a `deinit` of what the closure captured would run there: if it touches the task, it hangs. ``outcome`` never does so.
    /// - Returns: `true`: it will never run, and its captures have been released. `false`: it runs, has run, or was cancelled before;
    ///   a running closure can check ``isCancelled``.
    @discardableResult
    public func cancel() -> Bool {
        withExtendedLifetime(self) { sq_item_cancel(item) == 0 }
    }

    /// Whether ``cancel()`` was called. A long closure can check this, and return early.
    public var isCancelled: Bool {
        withExtendedLifetime(self) { sq_item_is_cancelled(item) }
    }

    /// Blocks the thread until the item has run. What it wrote is visible then.
    ///
    /// Any number of threads may wait, also before the item is submitted. On a thread of a ``WorkerPool`` another thread takes
    /// over meanwhile. What a ``ManualPool`` has ready, or the item's queue on a ``LoopPool`` that the calling thread owns, runs on the
    /// calling thread. Not for async functions, which the compiler refuses: ``outcome`` suspends instead.
    ///
    /// - Throws: As ``wait(within:)``, except `timedOut`.
    @available(*, noasync, message: "it blocks a thread that other tasks need: use 'try await outcome'")
    public func wait() throws(SerialQueueError) {
        try wait(within: nil)
    }

    /// As ``wait()``, but with a time limit.
    ///
    /// - Parameter limit: For how long to wait; `nil`: without limit.
    /// - Throws: `cancelled`: it will never run. `timedOut`; `deadlock`, if the item waits for the caller, or is the caller, also if
    ///   it is submitted while the caller waits; `noResources`; `fromBeforeFork`.
    public func wait(within limit: Duration?) throws(SerialQueueError) {
        let status = withExtendedLifetime(self) { sq_item_wait(item, deadline(limit)) }
        if status != 0 { throw SerialQueueError(status: status) }
    }

    /// The outcome; suspends the caller until there is one. No thread is blocked.
    ///
    /// What the closure wrote is visible then. It does not run what a ``ManualPool`` has ready.
    ///
    /// - Throws: `CancellationError`, at once, if the caller is cancelled; the item is not cancelled with it. Or a
    ///   ``SerialQueueError``: `fromBeforeFork`.
    public nonisolated(nonsending) var outcome: Outcome {
        get async throws {
            var last = withExtendedLifetime(self) { WorkItem(owning: sq__item_retain_last(item)) }
            while true {
                try await AwaitedEnd.wait(.ofItem, last.item, keeping: last)
                let status = withExtendedLifetime((self, last)) { sq_item_wait(last.item, 0) }
                if status != SQ_SWIFT_EAGAIN { return status == 0 ? .ran : .cancelled }
                // It stood for the first submission, which was made now, and has no outcome yet.
                last = withExtendedLifetime(last) { WorkItem(owning: sq__item_retain_last(last.item)) }
            }
        }
    }

    /// Suspends the caller until the item has an outcome; of an item that does not repeat. If the caller leaves early, the item is cancelled.
    ///
    /// - Throws: `CancellationError`, or a ``SerialQueueError``: `timedOut`; `fromBeforeFork`.
    package nonisolated(nonsending) func awaitEnd(within limit: Duration?) async throws {
        do {
            try await AwaitedEnd.wait(.ofItem, item, keeping: self, within: limit)
        } catch {
            cancel()
            throw error
        }
    }

    /// Submits `body` to the queue once, when the item has an outcome, whichever it is; immediately if it has one already.
    ///
    /// Notifications are submitted in the order in which they were registered, after the closure of the item has been released. A
    /// full queue accepts it, too, and the notification keeps the queue. If the queue is shut down before that, `body` is released. Don't
    /// pass an actor's method by name: <doc:FunctionsOfActors>.
    ///
    /// - Returns: `false` if it was refused: the queue has been shut down, there was no memory, the queue's thread could not be
    ///   started, or one of them is from before a `fork`. Then `body` will not run and has been released.
    @discardableResult
    public func notify(on queue: WorkQueue, _ body: consuming sending @escaping () -> Void) -> Bool {
        var task = DelayedClosure.task(consume body)
        let status = withExtendedLifetime((self, queue)) { sq_item_notify(item, queue.queue, &task) }
        if status != 0 { DelayedClosure.takeBack(task) }
        return status == 0
    }

    /// As ``notify(on:_:)``, with which it shares the order, but `body` is a barrier: it runs alone.
    ///
    /// - Returns: `false` if it was refused, as by `notify(on:_:)`. Then `body` will not run and has been released.
    @discardableResult
    public func notifyBarrier(on queue: ConcurrentQueue, _ body: consuming sending @escaping () -> Void) -> Bool {
        var task = DelayedClosure.task(consume body)
        let status = withExtendedLifetime((self, queue)) { sq_item_notify_barrier(item, queue.queue, &task) }
        if status != 0 { DelayedClosure.takeBack(task) }
        return status == 0
    }
}

extension WorkQueue {
    /// Submits the item, as `async(_:)` submits a closure.
    ///
    /// - Returns: `false` if it was refused: as a closure is, and then the item can be submitted again; or because it was submitted
    ///   or cancelled before. An item that repeats may have been submitted before.
    @discardableResult @inline(never)
    public func async(_ item: WorkItem) -> Bool {
        submit(item, sq__item_call_t(group: nil, is_delayed: false, delay: 0, site: sq_swift_caller()))
    }

    /// Submits the item as a member of `group`, until it has run, was discarded, or was cancelled.
    ///
    /// The group's waits end after the item's outcome can be seen. On a ``ConcurrentQueue`` a wait for the group does not notice that the
    /// item is behind a barrier which waits for the caller: wait for the item itself, which does.
    ///
    /// - Returns: `false` if it was refused, as by `async(_:)`. The group has not changed then.
    @discardableResult @inline(never)
    public func async(in group: WorkGroup, _ item: WorkItem) -> Bool {
        let call = sq__item_call_t(group: group.group, is_delayed: false, delay: 0, site: sq_swift_caller())
        return withExtendedLifetime(group) { submit(item, call) }
    }

    /// Submits the item when `delay` has passed, as `asyncAfter(_:_:)` does with a closure.
    ///
    /// It counts as submitted from now on. Cancelling it before the delay is over releases the queue at once.
    ///
    /// - Returns: `false` if it was refused, as by `async(_:)`.
    @discardableResult @inline(never)
    public func asyncAfter(_ delay: Duration, _ item: WorkItem) -> Bool {
        asyncAfter(delay, item, from: sq_swift_caller())
    }

    final func asyncAfter(_ delay: Duration, _ item: WorkItem, from caller: UnsafeRawPointer) -> Bool {
        submit(item, sq__item_call_t(group: nil, is_delayed: true, delay: nanoseconds(delay), site: caller))
    }

    private final func submit(_ item: WorkItem, _ call: sq__item_call_t) -> Bool {
        withUnsafePointer(to: call) { call in withExtendedLifetime((self, item)) { sq__item_submit(item.item, queue, call) == 0 } }
    }
}

extension WorkItem: Hashable {
    /// Whether both handles stand for the same item.
    public static func == (left: WorkItem, right: WorkItem) -> Bool {
        left.item == right.item
    }

    /// Hashes the identity of the item.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(item)
    }
}

extension WorkItem: CustomStringConvertible {
    /// The kind and the label.
    public var description: String {
        "WorkItem \"\(label)\""
    }
}
