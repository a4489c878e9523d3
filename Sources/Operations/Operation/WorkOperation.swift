import SerialQueue

/// Work that depends on other work, and whose value can be awaited.
///
/// ```swift
/// let queue = WorkOperationQueue(label: "com.example.words", width: 4)
/// let text = queue.add("load") { "to be or not to be" }
/// let words = queue.add("split", after: text) { text in text.split(separator: " ") }
/// let longest = queue.add("longest", after: words) { words in words.map(\.count).max() ?? 0 }
/// print(try await longest.value)  // 3
/// ```
///
/// Most operations are made by the `add` of a ``WorkOperationQueue``. Make one yourself if its dependencies are not
/// known yet: ``add(dependency:)`` works until it is added to a queue.
///
/// An operation ends once: its closure has returned or thrown, or it never runs, because it was cancelled or a predecessor has
/// not succeeded. An operation whose predecessor failed ends with the same error, unless it runs ``EvenAfterFailure``.
///
/// A `WorkOperation` is a handle: a queue keeps its operations until they have ended. An operation that no queue has, and whose
/// last handle is gone, is cancelled.
public struct WorkOperation<Value: Sendable>: Sendable {
    let node: ValueNode<Value>
    /// `nil` if a queue made it.
    private let owner: Owner?

    init(_ node: ValueNode<Value>) {
        self.node = node
        owner = nil
    }

    init(owned node: ValueNode<Value>) {
        self.node = node
        owner = Owner(node)
    }

    /// Ends with the last handle of an operation that can be added to a queue.
    private final class Owner: Sendable {
        private let node: OperationNode

        init(_ node: OperationNode) {
            self.node = node
        }

        deinit {
            OperationGraph.change { after in
                if node.stage == .made { OperationGraph.cancel(node, &after) }
            }
        }
    }
}

extension WorkOperation {
    /// The label that the operation was made with.
    public var label: String { node.label }

    /// Whether the operation has ended. What it wrote is visible then.
    public var hasEnded: Bool { node.hasEnded }

    /// Whether ``cancel()`` was called on it, or `cancelAll` on its queue.
    public var isCancelled: Bool { node.isCancelled }

    /// How the operation ended; `nil`: it has not.
    public var result: Result<Value, any Error>? { node.hasEnded ? node.outcome : nil }

    /// Cancels the operation. Never blocks.
    ///
    /// An operation that has not started never runs: it ends with a `CancellationError`, and so do the operations that depend
    /// on its success. Their closures are released before the call returns, on this thread, with no lock held. A running
    /// operation continues; it can check ``CurrentOperation/isCancelled``, or, if it is async, `Task.isCancelled`. An ended
    /// operation does not change.
    ///
    /// - Warning: Don't call it inside `onCancel` of `withTaskCancellationHandler`. Swift runs that under a lock of the task, and
    ///   a `deinit` of what the closures captured would run there.
    public func cancel() {
        OperationGraph.change { after in OperationGraph.cancel(node, &after) }
    }

    /// Makes this operation wait for another one, of any queue or none. The value of that one is not passed on.
    ///
    /// Costs constant time if nothing depends on this operation yet, or if the other one depends on nothing that has not ended.
    /// Otherwise it searches for a cycle, in a part of the operations.
    ///
    /// - Throws: ``WorkOperationError``: `cycle`, with the labels along it, or `alreadyAdded`. Nothing has changed then.
    public func add<Other>(dependency: WorkOperation<Other>) throws(WorkOperationError) {
        let error: WorkOperationError? = OperationGraph.change { after in
            OperationGraph.add(dependency.node, to: node, &after)
        }
        if let error { throw error }
    }
}

extension WorkOperation {
    /// The value; suspends the caller until the operation has ended. No thread is blocked.
    ///
    /// Does not run what a `ManualPool` has ready.
    ///
    /// - Throws: What the operation ended with: the error of its closure or of a predecessor, or `CancellationError`. Also
    ///   `CancellationError`, at once, if the caller is cancelled; the operation is not cancelled with it. Or the `deadlock` of a
    ///   `SerialQueueError`, if the caller is an operation that has to end before this one can.
    public nonisolated(nonsending) var value: Value {
        get async throws {
            if !node.hasEnded { try await Waiter(for: .operation(node), within: nil, blocks: false).awaitEnd(within: nil) }
            return try node.outcome.get()
        }
    }

    /// Blocks the thread until the operation has ended, and returns its value. Not for async functions, which the compiler refuses:
    /// ``value`` suspends instead.
    ///
    /// Any number of threads may wait, also before the operation is added to a queue. On a thread of a `WorkerPool` another
    /// thread takes over in that time; what a `ManualPool` has ready runs on the calling thread. The owner of a `LoopPool` must not wait
    /// for an operation on it, which runs on this thread only: run the loop, or use ``value``.
    ///
    /// - Throws: As ``wait(within:)``, except `timedOut`.
    @available(*, noasync, message: "it blocks a thread that other tasks need: use 'try await value'")
    @discardableResult
    public func wait() throws -> Value {
        try wait(within: nil)
    }

    /// As ``wait()``, but with a time limit.
    ///
    /// - Parameter limit: For how long to wait; `nil`: without limit.
    /// - Throws: What the operation ended with, as ``value``. Or a `SerialQueueError`, if it has not ended: `timedOut`;
    ///   `deadlock`, if the operation waits for the caller; `noResources`; `fromBeforeFork`.
    @discardableResult
    public func wait(within limit: Duration?) throws -> Value {
        if !node.hasEnded { try Waiter(for: .operation(node), within: limit, blocks: true).wait(within: limit) }
        return try node.outcome.get()
    }
}

extension WorkOperation: Hashable {
    /// Whether both handles stand for the same operation.
    public static func == (left: WorkOperation, right: WorkOperation) -> Bool {
        left.node === right.node
    }

    /// Hashes the identity of the operation.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(node))
    }
}

extension WorkOperation: CustomStringConvertible {
    /// The kind and the label.
    public var description: String { "WorkOperation \"\(label)\"" }
}
