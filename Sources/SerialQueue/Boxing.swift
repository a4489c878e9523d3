// Boxing.swift: an escaping closure's way through C and back. The only file that says Unmanaged.
//
// The one retain is in `init`; it is matched by exactly one of `run`, `discard` and `takeBack`. Which one is C's promise:
// of an accepted task one of the two functions is called, once; of a refused one neither (sq_task_t, sq_async_task).

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

/// A closure that waits for its turn: one allocation beside the closure's own context.
final class TaskBox {
    private let body: () -> Void

    private init(_ body: sending @escaping () -> Void) {
        self.body = body
    }

    /// The task that C is to have: it owns one reference to a new box.
    static func task(_ body: sending @escaping () -> Void) -> sq_task_t {
        sq_task_t(
            run: { TaskBox.take($0).body() },
            context: Unmanaged.passRetained(TaskBox(body)).toOpaque(),
            discard: { _ = TaskBox.take($0) }
        )
    }

    /// Frees what `task` owns, after C has refused it.
    static func takeBack(_ task: sq_task_t) {
        _ = take(task.context)
    }

    private static func take(_ context: UnsafeMutableRawPointer?) -> TaskBox {
        Unmanaged<TaskBox>.fromOpaque(context!).takeRetainedValue()
    }
}
