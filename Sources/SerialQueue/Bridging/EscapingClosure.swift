// EscapingClosure.swift: passes escaping closures through C. Only this file, AwaitedCall.swift, AwaitedEnd.swift,
// ExecutorJobs.swift and WorkQueue+Drain.swift pass Unmanaged references to C.
//
// Each retain is matched by exactly one release, because C guarantees one outcome for an accepted task, and none for a refused one
// (sq_async_pair, sq_queue_watch).

import CSerialQueue
import CSerialQueue.Private

/// A handler that C may call any number of times. C calls `discard` once, after the last call.
final class HandlerBox {
    private let handler: @Sendable (WorkQueue.Stall) -> Void

    private init(_ handler: @escaping @Sendable (WorkQueue.Stall) -> Void) {
        self.handler = handler
    }

    static func watcher(_ handler: @escaping @Sendable (WorkQueue.Stall) -> Void) -> sq_watcher_t {
        sq_watcher_t(
            stalled: { Unmanaged<HandlerBox>.fromOpaque($0!).takeUnretainedValue().handler(WorkQueue.Stall($1.pointee)) },
            context: Unmanaged.passRetained(HandlerBox(handler)).toOpaque(),
            discard: { Unmanaged<HandlerBox>.fromOpaque($0!).release() }
        )
    }

    /// Releases what `watcher` owns, after C has refused it.
    static func takeBack(_ watcher: sq_watcher_t) {
        watcher.discard!(watcher.context)
    }
}

/// A closure that waits for its turn.
enum EscapingClosure {
    /// Submits `body`, which only the queue references afterwards; with a group as a member of it. If C refused it, releases it and returns the
    /// error. `deadline`: of the wait for room, without a group; 0 does not wait.
    static func submit(
        _ body: consuming sending @escaping () -> Void, to queue: OpaquePointer, in group: OpaquePointer? = nil, by deadline: sq_time_t = 0,
        asBarrier isBarrier: Bool = false, from caller: UnsafeRawPointer
    ) -> SerialQueueError? {
        let words = ClosureWords.owning(consume body, from: caller)
        var call = sq__pair_call_t(
            call: { ClosureWords(code: $0!, context: $1).finish(runs: $2) }, first: words.code, second: words.context, deadline: deadline,
            is_barrier: isBarrier, site: caller)
        let status = if let group { sq__group_async_pair(group, queue, &call) } else { sq__async_pair(queue, &call) }
        guard status != 0 else { return nil }
        // Before the release: a deinit of the captures may produce another deadlock report.
        let error = SerialQueueError(status: status)
        words.finish(runs: false)
        return error
    }
}

/// A closure that waits for its due time, and then for its turn; or of a work item.
final class DelayedClosure {
    /// The first field: ``run`` and ``runAgain`` are shown as this closure.
    private let body: () -> Void

    /// What C calls. Always the same function.
    static var run: sq_function_t { { Unmanaged<DelayedClosure>.fromOpaque($0!).takeRetainedValue().body() } }

    /// The same for an item that repeats: C calls `discard` after the last run.
    static var runAgain: sq_function_t { { Unmanaged<DelayedClosure>.fromOpaque($0!).takeUnretainedValue().body() } }

    private init(_ body: consuming @escaping () -> Void) {
        self.body = consume body
    }

    static func task(_ body: consuming @escaping () -> Void, repeats: Bool = false) -> sq_task_t {
        _ = showsClosures
        return sq_task_t(
            run: repeats ? runAgain : run,
            context: Unmanaged.passRetained(DelayedClosure(consume body)).toOpaque(),
            discard: { Unmanaged<DelayedClosure>.fromOpaque($0!).release() }
        )
    }

    /// Releases what `task` owns, after C has refused it.
    static func takeBack(_ task: sq_task_t) {
        task.discard!(task.context)
    }
}

/// The closure of a work item that takes the item as its argument.
final class ItemClosure {
    /// The first field: ``run`` and ``runAgain`` are shown as this closure.
    private let body: (WorkItem) -> Void
    /// Set before the item can be submitted.
    private var item: OpaquePointer?

    private init(_ body: consuming @escaping (WorkItem) -> Void) {
        self.body = consume body
    }

    /// What C calls. Always the same function.
    static var run: sq_function_t {
        { Unmanaged<ItemClosure>.fromOpaque($0!).takeRetainedValue().call() }
    }

    /// The same for an item that repeats: C calls `discard` after the last run.
    static var runAgain: sq_function_t {
        { Unmanaged<ItemClosure>.fromOpaque($0!).takeUnretainedValue().call() }
    }

    private func call() {
        body(WorkItem(owning: sq_item_retain(item!)))
    }

    static func task(_ body: consuming @escaping (WorkItem) -> Void, repeats: Bool) -> sq_task_t {
        _ = showsClosures
        return sq_task_t(
            run: repeats ? runAgain : run,
            context: Unmanaged.passRetained(ItemClosure(consume body)).toOpaque(),
            discard: { Unmanaged<ItemClosure>.fromOpaque($0!).release() }
        )
    }

    /// Sets the item of the closure in `task`.
    static func set(_ item: OpaquePointer, in task: sq_task_t) {
        Unmanaged<ItemClosure>.fromOpaque(task.context!).takeUnretainedValue().item = item
    }
}

// One constant for both, because only one thread at a time may call C here.
private let showsClosures: Void = ClosureWords.show(
    inPlaceOf: [DelayedClosure.run, DelayedClosure.runAgain, ItemClosure.run, ItemClosure.runAgain])

extension TimerBody {
    /// Owns a reference to the body until the C timer ends. Releases the closure then, even if the Timer still exists.
    var task: sq_task_t {
        sq_task_t(
            run: { Unmanaged<TimerBody>.fromOpaque($0!).takeUnretainedValue().fire() },
            context: Unmanaged.passRetained(self).toOpaque(),
            discard: { _ = Unmanaged<TimerBody>.fromOpaque($0!).takeRetainedValue().take() }
        )
    }

    /// Releases the reference of `task`, and the closure, after C has refused it.
    static func takeBack(_ task: sq_task_t) {
        task.discard!(task.context)
    }
}
