import Synchronization

/// An ActorQueue's actor. Not generic, because metadata of types with unknown arguments is looked up at each use.
private final class Adopted: Sendable {
    /// Written in `init` only, so it may be read on any thread. (`weak let` needs Swift 6.3.)
    nonisolated(unsafe) private(set) weak var actor: (AnyObject & Sendable)?
    init(_ actor: AnyObject & Sendable) { self.actor = actor }
}

/// Runs async closures on an actor: they start in the order in which they were enqueued, and may interleave where they suspend.
///
/// Use it to send messages to an actor, in order, from code that cannot await it. The actor owns its queue, and adopts it in
/// `init`:
///
///     actor Log {
///         nonisolated let queue = ActorQueue<Log>()
///         private var lines: [String] = []
///         init() { queue.adoptExecutionContext(of: self) }
///         nonisolated func write(_ line: String) {
///             queue.enqueue { log in log.lines.append(line) }
///         }
///     }
///
/// Each closure runs as its own task, which inherits task-locals and priority from the enqueuing context, like `Task { }`. The order
/// does not depend on the priorities. A task keeps the actor alive until it has ended; the queue does not. A task may await a later
/// one of the same queue.
///
/// Don't use this if each closure must end before the next one starts: use a ``FIFOQueue``.
public final class ActorQueue<ActorType: Actor>: Sendable {
    @usableFromInline let line = TaskLine()
    private let adopted = AtomicLazyReference<Adopted>()

    /// Makes a queue. Call ``adoptExecutionContext(of:)`` before you enqueue anything.
    public init() {}

    /// Sets the actor that runs the queue's closures. Call this once, in the actor's `init`.
    ///
    /// The queue does not keep the actor alive.
    ///
    /// - Precondition: The queue has not adopted another actor. Otherwise the program traps.
    public func adoptExecutionContext(of actor: ActorType) {
        let own = Adopted(actor)
        guard adopted.storeIfNil(own) === own || adopted.load()?.actor === actor else {
            fatalError("ActorQueue<\(ActorType.self)>: has adopted another actor before. Give each actor a queue of its own.")
        }
    }

    /// The actor; `nil` if it has been deallocated. Traps if the queue has not adopted one.
    @usableFromInline var actorIfAlive: ActorType? {
        guard let adopted = adopted.load() else {
            fatalError(
                "ActorQueue<\(ActorType.self)>: enqueued before the queue had adopted an actor. "
                    + "Call adoptExecutionContext(of: self) in the actor's init."
            )
        }
        guard let actor = adopted.actor else { return nil }
        return unsafeDowncast(actor, to: ActorType.self)
    }

    /// The actor. Traps if it has been deallocated, or if the queue has not adopted one.
    @usableFromInline var actor: ActorType {
        guard let actor = actorIfAlive else {
            fatalError(
                "ActorQueue<\(ActorType.self)>: the actor of this queue has been deallocated, so nothing runs on it any more. "
                    + "Keep a reference to the actor for as long as you enqueue, or use enqueue, which returns false then."
            )
        }
        return actor
    }
}

// Swift 6.3 crashes when it reflects a generic class with noncopyable fields.
extension ActorQueue: CustomReflectable {
    /// A mirror without children.
    public var customMirror: Mirror {
        Mirror(self, children: [:])
    }
}

extension ActorQueue {
    /// Enqueues `operation` and returns immediately.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers and `Task.name`.
    ///   - priority: The task's priority; `nil`: that of the enqueuing context.
    ///   - operation: The task's work. It starts on the actor, in its turn.
    /// - Returns: `false` if the actor has been deallocated. Then `operation` will not run and has been released.
    /// - Precondition: The queue has adopted an actor. Otherwise the program traps.
    @discardableResult @inlinable
    public func enqueue(
        name: String? = nil,
        priority: TaskPriority? = nil,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async -> Void
    ) -> Bool {
        guard let actor = actorIfAlive else { return false }
        start(name: name, priority: priority, on: actor, consume operation)
        return true
    }

    /// Enqueues `operation`, and suspends the caller until its result is there.
    ///
    /// If the caller is cancelled, so is the operation's task; it still gets its turn. May also be called from a task of this queue.
    ///
    /// Don't use this if the actor may have been deallocated: use ``enqueue(name:priority:_:)``, which returns `false` then.
    ///
    /// - Precondition: The queue has adopted an actor, and the actor still exists. Otherwise the program traps.
    /// - Throws: What `operation` throws.
    public nonisolated(nonsending) func enqueueAndWait<Success: Sendable, Failure: Error>(
        name: String? = nil,
        priority: TaskPriority? = nil,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        try await resultTask(name, priority, consume operation).valueOrCancelled().get()
    }

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
    /// - Precondition: The caller is not a task of this queue, nor a child task of one: it would wait for itself. In a task of the
    ///   queue the program traps, with a message; in a child task the call hangs.
    public nonisolated(nonsending) func drain() async {
        preconditionIsNotInTask()
        await line.drain() { line.nextTurn()?.leave() }
    }

    /// As ``drain()``, with a time limit, and for callers that can be cancelled. A caller that leaves early changes nothing.
    ///
    /// - Parameter limit: How long to wait, on the real clock; `nil`: without limit.
    /// - Precondition: As for ``drain()``.
    /// - Throws: `CancellationError`, at once, if the caller is cancelled; or a `SerialQueueError`: `timedOut`.
    public nonisolated(nonsending) func drain(within limit: Duration?) async throws {
        preconditionIsNotInTask()
        try await line.drain(within: limit) { line.nextTurn()?.leave() }
    }

    private func preconditionIsNotInTask() {
        guard withUnsafeCurrentTask(body: { $0.map(line.isRunning) ?? false }) else { return }
        fatalError(
            "ActorQueue<\(ActorType.self)>.drain: called from a task of the same queue. It would wait for itself, forever. "
                + "Await the tasks that matter by their handles."
        )
    }
}

extension ActorQueue {
    /// Makes a task for `operation` and adds it to the line.
    @discardableResult @inlinable
    func start<Success: Sendable>(
        name: String? = nil,
        priority: TaskPriority?,
        on actor: ActorType,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async -> Success
    ) -> Task<Success, Never> {
        ActorWork(line, actor, consume operation).makeTask(name: name, priority: priority)
    }

    /// The same for an `operation` that can throw.
    @inlinable
    func start<Success: Sendable>(
        name: String? = nil,
        priority: TaskPriority?,
        on actor: ActorType,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async throws -> Success
    ) -> Task<Success, any Error> {
        ActorWork(line, actor, consume operation).makeTask(name: name, priority: priority)
    }

    /// The task behind enqueueAndWait. A separate function, because a closure created in an isolated function would inherit the
    /// isolation, and would not be released before the wait is over.
    private func resultTask<Success: Sendable, Failure: Error>(
        _ name: String?,
        _ priority: TaskPriority?,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async throws(Failure) -> Success
    ) -> Task<Result<Success, Failure>, Never> {
        Task(name: name, priority: priority, on: self) { [operation = consume operation] actor in
            do throws(Failure) {
                return .success(try await operation(actor))
            } catch {
                return .failure(error)
            }
        }
    }
}
