import SerialQueue

/// Runs async closures one after the other: each starts when the previous one has ended, suspensions included.
///
/// Enqueuing is synchronous, from any thread or task, and the order of the calls is the order of the closures. Each closure runs as
/// its own task, which inherits task-locals and priority from the enqueuing context, like `Task { }`. Use
/// ``enqueue(name:priority:_:)``, ``enqueueAndWait(name:priority:_:)``, or `Task(on: queue) { }` if you need the handle.
///
/// Tasks run on Swift's global executor, on a `SerialQueue`, or, with `on:` or `isolatedTo:`, on an actor. The last reference may
/// be released at any time: enqueued closures still run.
///
/// Don't use this for closures that only need to start in order, such as messages to an actor: use an ``ActorQueue``. For closures
/// that never suspend use a `SerialQueue`. Don't use FIFO queues for mutual calls: tasks that wait for each other's queues hang.
public final class FIFOQueue: Sendable {
    let line = TaskLine()
    let queue: SerialQueue?
    /// The queue's label, which names it in messages.
    public let label: String

    /// Makes a queue; starts no thread or task.
    ///
    /// - Parameters:
    ///   - label: Names the queue in messages.
    ///   - queue: The queue that runs the tasks, interleaved with its other work; `nil`: the global executor runs them.
    public init(label: String = "", on queue: SerialQueue? = nil) {
        self.label = label
        self.queue = queue
    }
}

// Swift 6.3 crashes when it reflects a generic class with noncopyable fields, and this class contains one.
extension FIFOQueue: CustomReflectable {
    /// A mirror with the label.
    public var customMirror: Mirror {
        Mirror(self, children: ["label": label])
    }
}

extension FIFOQueue {
    /// Enqueues `operation` and returns immediately.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers and `Task.name`.
    ///   - priority: The task's priority; `nil`: that of the enqueuing context.
    ///   - operation: The task's work. It starts when all tasks before it have ended. A method of an actor, by name, must be `async`:
    ///     see "Functions of an actor" in the documentation of `SerialQueue`.
    public func enqueue(
        name: String? = nil,
        priority: TaskPriority? = nil,
        _ operation: consuming sending @escaping () async -> Void
    ) {
        Task(name: name, priority: priority, on: self, operation: consume operation)
    }

    /// Enqueues `operation` to run on `actor`, which it keeps alive, and returns immediately.
    public func enqueue<ActorType: Actor>(
        name: String? = nil,
        priority: TaskPriority? = nil,
        on actor: ActorType,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async -> Void
    ) {
        Task(name: name, priority: priority, on: self, isolatedTo: actor, operation: consume operation)
    }

    /// Enqueues `operation`, and suspends the caller until its result is there.
    ///
    /// If the caller is cancelled, so is the operation's task; it still gets its turn.
    ///
    /// - Precondition: The caller is not a task of this queue, nor a child task of one: it would wait for itself. The program traps,
    ///   with a message. (Under another executor preference, or through another queue, this is not detected, and the call hangs.)
    /// - Throws: What `operation` throws.
    public nonisolated(nonsending) func enqueueAndWait<Success: Sendable, Failure: Error>(
        name: String? = nil,
        priority: TaskPriority? = nil,
        _ operation: consuming sending @escaping () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        preconditionIsNotWaitedFor("enqueueAndWait")
        let task = resultTask(name, priority, consume operation)
        return try await task.valueOrCancelled().get()
    }

    /// Enqueues `operation` to run on `actor`, and suspends the caller until its result is there.
    ///
    /// Like ``enqueueAndWait(name:priority:_:)``. Awaiting it from that actor does not block the actor.
    ///
    /// - Throws: What `operation` throws.
    public nonisolated(nonsending) func enqueueAndWait<ActorType: Actor, Success: Sendable, Failure: Error>(
        name: String? = nil,
        priority: TaskPriority? = nil,
        on actor: ActorType,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        preconditionIsNotWaitedFor("enqueueAndWait")
        let task = resultTask(name, priority, on: actor, consume operation)
        return try await task.valueOrCancelled().get()
    }
}

extension FIFOQueue {
    /// Cancels every task that has been enqueued so far and has not ended.
    ///
    /// As everywhere in Swift, a cancelled task still runs, and sees `Task.isCancelled`. A running task is cancelled immediately. A
    /// waiting task is cancelled when it starts, in its turn; until then its handle's `isCancelled` is `false`. So the cost does not
    /// depend on the number of waiting tasks. ``drain()`` waits until they have ended.
    public func cancelAll() {
        line.cancelAll()
    }

    /// Waits until every task that has been enqueued so far has ended, and its closure has been released. ``drain(within:)`` can be left.
    ///
    /// - Precondition: The caller is not a task of this queue, nor a child task of one, as for
    ///   ``enqueueAndWait(name:priority:_:)``.
    public nonisolated(nonsending) func drain() async {
        preconditionIsNotWaitedFor("drain")
        await line.drain() { startNext() }
    }

    /// As ``drain()``, with a time limit, and for callers that can be cancelled. A caller that leaves early changes nothing.
    ///
    /// - Parameter limit: How long to wait, on the real clock; `nil`: without limit.
    /// - Precondition: As for ``drain()``.
    /// - Throws: `CancellationError`, at once, if the caller is cancelled; or a `SerialQueueError`: `timedOut`.
    public nonisolated(nonsending) func drain(within limit: Duration?) async throws {
        preconditionIsNotWaitedFor("drain")
        try await line.drain(within: limit) { startNext() }
    }

    /// The task behind enqueueAndWait. A separate function, because a closure created in an isolated function would inherit the
    /// isolation, and would not be released before the wait is over.
    private func resultTask<Success: Sendable, Failure: Error>(
        _ name: String?,
        _ priority: TaskPriority?,
        _ operation: consuming sending @escaping () async throws(Failure) -> Success
    ) -> Task<Result<Success, Failure>, Never> {
        Task(name: name, priority: priority, on: self) { [operation = consume operation] in
            do throws(Failure) {
                return .success(try await operation())
            } catch {
                return .failure(error)
            }
        }
    }

    private func resultTask<ActorType: Actor, Success: Sendable, Failure: Error>(
        _ name: String?,
        _ priority: TaskPriority?,
        on actor: ActorType,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async throws(Failure) -> Success
    ) -> Task<Result<Success, Failure>, Never> {
        resultTask(name, priority) { [operation = consume operation] () async throws(Failure) in try await operation(actor) }
    }

    /// Traps if the current task, or one that it is a child of, has begun on this queue and not ended.
    private func preconditionIsNotWaitedFor(_ verb: StaticString) {
        // A task of this queue prefers its own executor. Its child tasks inherit the preference; other tasks do not.
        let preferred = withUnsafeCurrentTask { $0?.unownedTaskExecutor }
        guard let preferred, let running = line.oldest as? FIFOTurn, running.asUnownedTaskExecutor() == preferred else { return }
        fatalError(
            "FIFOQueue.\(verb): called from a task of queue \"\(label)\", or a child task of one. It would wait for itself, "
                + "forever. Use enqueue, which does not wait, or await the closure directly."
        )
    }
}

extension Task where Failure == Never {
    /// Awaits the value. If the caller is cancelled, cancels the task.
    nonisolated(nonsending) func valueOrCancelled() async -> Success {
        await withTaskCancellationHandler { await value } onCancel: { cancel() }
    }
}
