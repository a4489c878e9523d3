// EscapingClosure.swift: an escaping closure's way through C and back. Only this file, AwaitedEnd.swift, ExecutorJobs.swift and
// QueuedCall.swift use Unmanaged.
//
// Each retain is matched by exactly one release, because C promises that an accepted task has one outcome, and a refused one none
// (sq_async_pair, sq_queue_watch).

import CSerialQueue

/// A handler that C may call any number of times: `discard` is called once, when it will not be called again.
final class HandlerBox {
    private let handler: @Sendable (SerialQueue.Stall) -> Void

    private init(_ handler: @escaping @Sendable (SerialQueue.Stall) -> Void) {
        self.handler = handler
    }

    static func watcher(_ handler: @escaping @Sendable (SerialQueue.Stall) -> Void) -> sq_watcher_t {
        sq_watcher_t(
            stalled: { Unmanaged<HandlerBox>.fromOpaque($0!).takeUnretainedValue().handler(SerialQueue.Stall($1.pointee)) },
            context: Unmanaged.passRetained(HandlerBox(handler)).toOpaque(),
            discard: { Unmanaged<HandlerBox>.fromOpaque($0!).release() }
        )
    }

    /// Frees what `watcher` owns, after C has refused it.
    static func takeBack(_ watcher: sq_watcher_t) {
        watcher.discard!(watcher.context)
    }
}

/// A closure that waits for its turn, without an allocation.
///
/// An escaping closure is two words: its code, and its context, an object that Swift made and counts (or null, if it
/// captures nothing). C has room for two words, so the context itself is what is passed, unmanaged, and no box is made.
enum EscapingClosure {
    /// Kept in a struct a closure has its plain form; as a generic argument it would be wrapped in a thunk.
    private struct Closure {
        let body: () -> Void
    }

    private struct Words {
        let code: UnsafeMutableRawPointer
        let context: UnsafeMutableRawPointer?
    }

    /// Submits `body`, of which only the queue knows any more. Returns why C refused it; then it has been released.
    static func submit(
        _ body: consuming sending @escaping () -> Void, to queue: OpaquePointer, by deadline: sq_time_t
    ) -> SerialQueueError? {
        submit(consume body) { sq_async_pair(queue, deadline, $0, $1, $2) }
    }

    /// The same as a member of a group.
    static func submit(
        _ body: consuming sending @escaping () -> Void, to queue: OpaquePointer, in group: OpaquePointer
    ) -> SerialQueueError? {
        submit(consume body) { sq_group_async_pair(group, queue, $0, $1, $2) }
    }

    @inline(__always)
    private static func submit(
        _ body: consuming sending @escaping () -> Void,
        by call: (sq_pair_function_t, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt
    ) -> SerialQueueError? {
        let words = words(of: Closure(body: consume body))
        let status = call({ EscapingClosure.finish($0!, $1, runs: $2) }, words.code, words.context)
        guard status != 0 else { return nil }
        // Before the release: what `body` captured may have a deinit that meets a deadlock of its own.
        let error = SerialQueueError(status: status)
        finish(words.code, words.context, runs: false)
        return error
    }

    /// The closure's words, with its context retained, and the closure itself gone: C must find no other reference, for the
    /// queue may be done with it before the submission is.
    private static func words(of closure: consuming Closure) -> Words {
        let words = unsafeBitCast(closure, to: Words.self)
        if let context = words.context {
            _ = Unmanaged<AnyObject>.fromOpaque(context).retain()
        }
        withExtendedLifetime(closure) {}  // until here, or there might be nothing left to retain
        return words
    }

    /// Runs the closure, or not, and releases what `submit` retained.
    private static func finish(
        _ code: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer?, runs: Bool
    ) {
        if runs {
            unsafeBitCast(Words(code: code, context: context), to: Closure.self).body()
        }
        if let context {
            Unmanaged<AnyObject>.fromOpaque(context).release()
        }
    }
}

/// A closure that waits for a time to come, and then for its turn.
final class DelayedClosure {
    private let body: () -> Void

    private init(_ body: consuming @escaping () -> Void) {
        self.body = consume body
    }

    static func task(_ body: consuming @escaping () -> Void) -> sq_task_t {
        sq_task_t(
            run: { Unmanaged<DelayedClosure>.fromOpaque($0!).takeRetainedValue().body() },
            context: Unmanaged.passRetained(DelayedClosure(consume body)).toOpaque(),
            discard: { Unmanaged<DelayedClosure>.fromOpaque($0!).release() }
        )
    }

    /// Frees what `task` owns, after C has refused it.
    static func takeBack(_ task: sq_task_t) {
        task.discard!(task.context)
    }
}

/// The closure of a work item that asks which one it is.
final class ItemClosure {
    private let body: (WorkItem) -> Void
    /// Set before the item can be submitted.
    private var item: OpaquePointer?

    private init(_ body: consuming @escaping (WorkItem) -> Void) {
        self.body = consume body
    }

    static func task(_ body: consuming @escaping (WorkItem) -> Void) -> sq_task_t {
        sq_task_t(
            run: {
                let closure = Unmanaged<ItemClosure>.fromOpaque($0!).takeRetainedValue()
                closure.body(WorkItem(owning: sq_item_retain(closure.item!)))
            },
            context: Unmanaged.passRetained(ItemClosure(consume body)).toOpaque(),
            discard: { Unmanaged<ItemClosure>.fromOpaque($0!).release() }
        )
    }

    /// Tells the closure of `task` which item it belongs to.
    static func set(_ item: OpaquePointer, in task: sq_task_t) {
        Unmanaged<ItemClosure>.fromOpaque(task.context!).takeUnretainedValue().item = item
    }
}

extension TimerBody {
    /// Owns a reference to the body until the C timer is done for, and releases the closure then: the Timer may be kept.
    var task: sq_task_t {
        sq_task_t(
            run: { Unmanaged<TimerBody>.fromOpaque($0!).takeUnretainedValue().fire() },
            context: Unmanaged.passRetained(self).toOpaque(),
            discard: { _ = Unmanaged<TimerBody>.fromOpaque($0!).takeRetainedValue().take() }
        )
    }

    /// Gives up the reference of `task`, and the closure, after C has refused it.
    static func takeBack(_ task: sq_task_t) {
        task.discard!(task.context)
    }
}
