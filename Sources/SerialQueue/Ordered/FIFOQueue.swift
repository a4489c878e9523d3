/// Runs async closures one after the other: each begins when the one before has ended, suspensions included.
///
/// Enqueuing is synchronous, from anywhere, and the order of the calls is the order of the closures. Each closure runs as a
/// task of its own, which takes over task-locals and priority from the enqueuing context as `Task { }` does.
/// Use ``enqueue(name:priority:_:)``, ``enqueueAndWait(name:priority:_:)``, or
/// `Task(on: queue) { }` if you need the handle.
///
/// Tasks run on Swift's global executor, on a ``SerialQueue``, or, with `on:` or `isolatedTo:`, on an actor. The last
/// reference may be released at any time: what has been enqueued still runs.
///
/// Use an ``ActorQueue`` for closures that only need to start in order, such as messages to an actor, and a ``SerialQueue`` for
/// closures that never suspend. Don't use FIFO queues for mutual calls: tasks that wait for each other's queues hang.
public final class FIFOQueue: Sendable {
    let line = TaskLine()
    let queue: SerialQueue?
    /// The label that the queue was made with. It names the queue in messages.
    public let label: String

    /// Makes a queue; starts nothing.
    ///
    /// - Parameters:
    ///   - label: Names the queue in messages.
    ///   - queue: Where the tasks run, interleaved with its other work; `nil`: on the global executor.
    public init(label: String = "", on queue: SerialQueue? = nil) {
        self.label = label
        self.queue = queue
    }
}

// Swift 6.3 cannot reflect a generic class with noncopyable fields, such as this one has inside: it ends the process.
extension FIFOQueue: CustomReflectable {
    /// Shows the label.
    public var customMirror: Mirror {
        Mirror(self, children: ["label": label])
    }
}

extension FIFOQueue {
    /// Enqueues `operation` and returns at once.
    ///
    /// - Parameters:
    ///   - name: The task's, for debuggers and `Task.name`.
    ///   - priority: The task's; `nil`: the enqueuing context's.
    ///   - operation: What the task does; it begins when all tasks before it have ended.
    public func enqueue(
        name: String? = nil,
        priority: TaskPriority? = nil,
        _ operation: consuming sending @escaping () async -> Void
    ) {
        Task(name: name, priority: priority, on: self, operation: consume operation)
    }

    /// As ``enqueue(name:priority:_:)``, with `operation` running on `actor`, which it keeps alive.
    public func enqueue<ActorType: Actor>(
        name: String? = nil,
        priority: TaskPriority? = nil,
        on actor: ActorType,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async -> Void
    ) {
        Task(name: name, priority: priority, on: self, isolatedTo: actor, operation: consume operation)
    }

    /// Enqueues `operation`, waits for its end, and returns its result.
    ///
    /// If the caller is cancelled, so is the operation; it still gets its turn.
    ///
    /// - Precondition: The caller is no task of this queue, and no child task of one: it would wait for itself. The program
    ///   traps with a message. (It is not noticed under another executor preference, nor through another queue.)
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

    /// As ``enqueueAndWait(name:priority:_:)``, with `operation` running on `actor`.
    ///
    /// Awaiting it from that actor does not block the actor.
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
    /// As everywhere in Swift, a cancelled task runs, and sees `Task.isCancelled`. A task that runs is cancelled at once. A task
    /// that waits is cancelled as it begins, in its turn; until then its handle's `isCancelled` is `false`. So this costs the same
    /// however many wait. ``drain()`` waits for them.
    public func cancelAll() {
        line.cancelAll()
    }

    /// Waits until every task that has been enqueued so far has ended, and its closure has been released.
    ///
    /// - Precondition: The caller is no task of this queue, and no child task of one, as for
    ///   ``enqueueAndWait(name:priority:_:)``.
    public nonisolated(nonsending) func drain() async {
        preconditionIsNotWaitedFor("drain")
        await line.drain() { goOn() }
    }

    /// The task behind enqueueAndWait. A function of its own: a closure made in an isolated function would inherit the isolation,
    /// and would be kept until the wait is over.
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
        // A task of this queue prefers an executor of its own; its child tasks inherit the preference, others do not.
        let preferred = withUnsafeCurrentTask { $0?.unownedTaskExecutor }
        guard let preferred, let running = line.oldest as? FIFOTurn, running.asUnownedTaskExecutor() == preferred else { return }
        fatalError(
            "FIFOQueue.\(verb): called from a task of queue \"\(label)\", or a child task of one. It would wait for itself, "
                + "forever. Use enqueue, which does not wait, or await the closure directly."
        )
    }
}

extension Task where Failure == Never {
    /// The value, awaited by a caller whose cancellation cancels the task.
    nonisolated(nonsending) func valueOrCancelled() async -> Success {
        await withTaskCancellationHandler { await value } onCancel: { cancel() }
    }
}
