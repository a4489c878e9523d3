#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif
import SerialQueue

/// Runs operations when those that they depend on have succeeded, at most `width` at a time.
///
/// Operations that are ready start by ``OperationPriority``, and within one priority in the order in which they became ready. An
/// async operation that is suspended counts as running.
///
/// Releasing the last reference never blocks and loses nothing: operations that were added still run, also if the queue is
/// suspended, as nothing could resume it any more.
///
/// Don't use it for tasks without dependencies that only need an order: a `SerialQueue` costs less. Don't use it for child tasks
/// of one function: a task group does that.
public final class WorkOperationQueue: Sendable {
    let core: QueueCore

    /// Makes a queue; starts no thread.
    ///
    /// - Parameters:
    ///   - label: Names the queue in messages.
    ///   - width: How many operations run at a time at most; with 1, one after the other. `nil`: one per processor. Traps if
    ///     it is not positive.
    ///   - pool: The pool whose threads run the operations.
    public init(label: String = "", width: Int? = nil, on pool: WorkerPool = .shared) {
        let width = width ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        guard width > 0 else { widthIsNotPositive(label, width) }
        core = QueueCore(label: label, width: width, pool: pool)
    }

    deinit {
        OperationGraph.change { after in core.drop(&after) }
    }

    /// The label that the queue was made with.
    public var label: String { core.label }

    /// How many operations run at a time at most.
    public var width: Int { core.width }
}

extension WorkOperationQueue {
    /// Adds an operation that was made without a queue. From now on it gets no more dependencies.
    ///
    /// Its closure runs on a thread of this queue's pool, when its predecessors have ended. One that was cancelled before, or whose
    /// predecessor failed, has ended already; it only counts.
    ///
    /// This is the only `add` of a queue that throws: the others make an operation of their own.
    ///
    /// - Throws: ``WorkOperationError``: `alreadyAdded`, to this or another queue. Then nothing has changed.
    public func add<Value>(_ operation: WorkOperation<Value>) throws(WorkOperationError) {
        let isAdded = OperationGraph.change { after in
            guard !operation.node.isAdded else { return false }
            core.add(operation.node, &after)
            if !OperationGraph.blockedWaits.isEmpty { OperationGraph.refuseStuck(from: .operation(operation.node), &after) }
            return true
        }
        if !isAdded { throw .alreadyAdded(operation.label) }
    }

    /// Cancels all operations that have not ended, as ``WorkOperation/cancel()`` does. The queue can be used as before.
    public func cancelAll() {
        OperationGraph.change { after in core.cancelAll(&after) }
    }

    /// Prevents operations from starting, until balanced by as many ``resume()`` calls. Those that run continue.
    public func suspend() {
        OperationGraph.look { core.suspend() }
    }

    /// Balances one ``suspend()``; the last one lets the queue continue.
    ///
    /// - Returns: `false` if nothing was done: the queue was not suspended.
    @discardableResult
    public func resume() -> Bool {
        OperationGraph.change { after in core.resume(&after) }
    }

    /// Blocks the thread until all operations of the queue have ended, including those that are added meanwhile. Not
    /// for async functions, which the compiler refuses: ``drain()`` and ``drain(within:)`` suspend instead.
    ///
    /// - Parameter limit: For how long to wait; `nil`: without limit.
    /// - Throws: A `SerialQueueError`: `timedOut`; `deadlock`, if the caller is an operation of this queue; `noResources`;
    ///   `fromBeforeFork`.
    @available(*, noasync, message: "it blocks a thread that other tasks need: use 'try await drain(within:)'")
    public func wait(within limit: Duration? = nil) throws(SerialQueueError) {
        try Waiter(for: .queue(core), within: limit, blocks: true).wait(within: limit)
    }

    /// Suspends the caller until all operations of the queue have ended, including those that are added meanwhile.
    ///
    /// Cannot be cancelled: ``drain(within:)`` can be left. An operation that waits for one which no queue has keeps it from returning, and
    /// so does a suspension.
    ///
    /// - Precondition: The caller is no operation of this queue, or one that an operation of this queue waits for, which would
    ///   wait for its own end: the program ends with a message.
    public nonisolated(nonsending) func drain() async {
        await Waiter(for: .queue(core), within: nil, blocks: false).waitUncancelled()
    }

    /// As ``drain()``, with a time limit, and for callers that can be cancelled. A caller that leaves early changes nothing.
    ///
    /// - Parameter limit: How long to wait, on the real clock; `nil`: without limit.
    /// - Throws: `CancellationError`, at once, if the caller is cancelled; or a `SerialQueueError`: `timedOut`; `deadlock`, instead of the end
    ///   of the program; `fromBeforeFork`.
    public nonisolated(nonsending) func drain(within limit: Duration?) async throws {
        try Task.checkCancellation()
        try await Waiter(for: .queue(core), within: limit, blocks: false).awaitEnd(within: limit)
    }
}

extension WorkOperationQueue {
    /// How many operations have ended, of how many that were added.
    public var progress: WorkProgress { OperationGraph.look { core.progress } }

    /// The progress now, and each time that it has changed.
    ///
    /// ```swift
    /// let queue = WorkOperationQueue(label: "squares")
    /// for number in 1...3 { queue.add("square") { number * number } }
    /// for await progress in queue.progressUpdates {
    ///     print("\(progress.finished) of \(progress.total)")
    ///     if progress.finished == progress.total { break }
    /// }
    /// ```
    public var progressUpdates: WorkProgressUpdates { WorkProgressUpdates(core: core) }
}

extension WorkOperationQueue: CustomStringConvertible {
    /// The kind and the label.
    public var description: String { "WorkOperationQueue \"\(label)\"" }
}
