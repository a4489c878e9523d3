import CSerialQueue.Private
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

/// The operation that the caller runs in.
///
/// In the closure of an operation that is not async, `Task.isCancelled` says nothing; this does:
///
/// ```swift
/// let queue = WorkOperationQueue(label: "rows", width: 2)
/// let sum = queue.add("sum") {
///     var sum = 0
///     for row in 1...1_000 {
///         try CurrentOperation.checkCancellation()
///         sum += row
///     }
///     return sum
/// }
/// print(try await sum.value)  // 500500
/// ```
///
/// Tasks that an async operation creates belong to it, too. So do closures of other queues that its thread runs while it waits (on a
/// `ManualPool` or `LoopPool`, or with `helps`).
public enum CurrentOperation {
    /// Whether the operation was cancelled. `false` outside of operations.
    public static var isCancelled: Bool { node?.isCancelled ?? false }

    /// Throws `CancellationError` if the operation was cancelled.
    public static func checkCancellation() throws {
        if isCancelled { throw CancellationError() }
    }

    /// The label of the operation; `nil` outside of operations.
    public static var label: String? { node?.label }
}

extension CurrentOperation {
    /// The innermost operation whose closure is on the stack of a thread.
    private static let key = {
        var key = pthread_key_t()
        guard pthread_key_create(&key, nil) == 0 else { cannotRun("") }
        return key
    }()

    @TaskLocal private static var ofTask: OperationNode?

    /// Its closure may wait, and the thread run another task in that time, which is not the operation's.
    private static var onThread: OperationNode? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        let node = Unmanaged<OperationNode>.fromOpaque(pointer).takeUnretainedValue()
        return withUnsafeCurrentTask { $0 == node.ownTask } ? node : nil
    }

    private static var node: OperationNode? { onThread ?? ofTask }

    /// The operation that cannot end before the caller continues: its closure is on this thread's stack, or this is its task. It
    /// may have ended if this is another task that has got the memory of its task.
    static var blocked: OperationNode? {
        if let node = onThread { return node }
        guard let node = ofTask, let own = node.ownTask else { return nil }
        return withUnsafeCurrentTask { $0 == own } ? node : nil
    }

    /// Runs the operation's closure. False: it is async.
    static func run(_ node: OperationNode) -> Bool {
        let outer = pthread_getspecific(key)
        if node.isOnThread { withUnsafeCurrentTask { node.ownTask = $0 } }
        pthread_setspecific(key, Unmanaged.passUnretained(node).toOpaque())
        defer { pthread_setspecific(key, outer) }
        guard node.isOnThread, sq__trace_is_recording() else { return node.run() }
        let part = sq__trace_hook_part(node.label)
        defer { sq__trace_hook_part_end(part) }
        return node.run()
    }

    /// An async operation runs as several jobs: a trace has marks of its beginning and its end.
    private static func showTurn(of node: OperationNode, begins: Bool) {
        guard sq__trace_is_recording() else { return }
        let id = UInt64(UInt(bitPattern: ObjectIdentifier(node)))
        sq__trace_turn("operation \(node.label)", id, id, begins)
    }

    /// Runs the operation's async closure.
    static func runAsync(_ node: OperationNode) async {
        withUnsafeCurrentTask { node.ownTask = $0 }
        showTurn(of: node, begins: true)
        await $ofTask.withValue(node) { await node.runAsync() }
        showTurn(of: node, begins: false)
    }
}
