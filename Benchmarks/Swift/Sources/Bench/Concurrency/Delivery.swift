// Delivery.swift: what the contenders that are written by hand hand over with.

import Synchronization

/// A value that is handed over once, to a task that may wait for it already, and the task that it comes from.
final class Delivery<Value: Sendable>: Sendable {
    private enum State {
        case nothing
        case awaited(UnsafeContinuation<Value, Never>)
        case there(Value)
    }

    private let state = Mutex(State.nothing)
    private let source = Mutex<(task: Task<Void, Never>?, isCancelled: Bool)>((nil, false))

    /// Notes what is to be cancelled.
    func comes(from task: Task<Void, Never>) {
        let isCancelled = source.withLock { source in
            source.task = task
            return source.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = source.withLock { source in
            source.isCancelled = true
            return source.task
        }
        task?.cancel()
    }

    func send(_ value: Value) {
        let waiting: UnsafeContinuation<Value, Never>? = state.withLock { state in
            if case .awaited(let continuation) = state { return continuation }
            state = .there(value)
            return nil
        }
        waiting?.resume(returning: value)
    }

    var value: Value {
        get async {
            await withUnsafeContinuation { continuation in
                let value: Value? = state.withLock { state in
                    if case .there(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
