import Synchronization

/// An ActorQueue's actor. Not generic, as types that depend on unknown ones are looked up at each use.
private final class Adopted: Sendable {
    weak let actor: (AnyObject & Sendable)?
    init(_ actor: AnyObject & Sendable) { self.actor = actor }
}

/// Runs async closures on an actor: they begin in the order in which they were enqueued, and may interleave where they suspend.
///
/// What it is for: telling an actor things, in order, from code that cannot await it. The actor owns its queue, and the queue
/// learns in the actor's `init` whose it is:
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
/// Each closure runs as a task of its own, which takes over task-locals and priority from the enqueuing context as `Task { }`
/// does; the order holds whatever the priorities are. A task keeps the actor alive until it has ended; the queue does not.
/// A task may await a later one of the same queue.
///
/// Not for closures of which each has to end before the next one begins: ``FIFOQueue``.
public final class ActorQueue<ActorType: Actor>: Sendable {
    /// Thrown by a task that was enqueued when the actor had been deallocated: the task is cancelled, and its closure, which has
    /// not run, released.
    public struct ActorIsGone: Error, Sendable, CustomStringConvertible {
        @usableFromInline init() {}

        /// Names the actor's type, and says what to do.
        public var description: String {
            "The \(ActorType.self) of this ActorQueue has been deallocated, so nothing runs on it any more. "
                + "Keep a reference to the actor for as long as you enqueue."
        }
    }

    @usableFromInline let line = Line()
    private let adopted = AtomicLazyReference<Adopted>()

    /// Makes a queue, which nothing may be enqueued on before ``adoptExecutionContext(of:)``.
    public init() {}

    /// Has the queue's closures run on `actor`, which is not kept alive. Call it once, in the actor's `init`.
    ///
    /// - Precondition: The queue has not adopted another actor.
    public func adoptExecutionContext(of actor: ActorType) {
        let own = Adopted(actor)
        guard adopted.storeIfNil(own) === own || adopted.load()?.actor === actor else {
            fatalError("ActorQueue<\(ActorType.self)>: has adopted another actor before. Give each actor a queue of its own.")
        }
    }

    /// The actor; `nil` if it is gone. Traps if there never was one.
    @usableFromInline var actor: ActorType? {
        guard let adopted = adopted.load() else {
            fatalError(
                "ActorQueue<\(ActorType.self)>: enqueued before the queue had adopted an actor. "
                    + "Call adoptExecutionContext(of: self) in the actor's init."
            )
        }
        guard let actor = adopted.actor else { return nil }
        return unsafeDowncast(actor, to: ActorType.self)
    }
}

extension ActorQueue {
    /// Enqueues `operation` and returns at once.
    ///
    /// - Parameters:
    ///   - priority: The task's; `nil`: the enqueuing context's.
    ///   - operation: What the task does; it begins on the actor, in turn.
    /// - Returns: `false` if the actor is gone. Then `operation` will not run and has been released.
    /// - Precondition: The queue has adopted an actor.
    @discardableResult @inlinable
    public func enqueue(
        priority: TaskPriority? = nil,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async -> Void
    ) -> Bool {
        guard let actor else { return false }
        start(priority: priority, on: actor, consume operation)
        return true
    }

    /// Enqueues `operation`, waits for its end, and returns its result.
    ///
    /// If the caller is cancelled, so is the operation; it still gets its turn. May be called from a task of this queue, too.
    ///
    /// - Precondition: The queue has adopted an actor.
    /// - Throws: What `operation` throws; ``ActorIsGone``.
    public func enqueueAndWait<Success: Sendable>(
        priority: TaskPriority? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async throws -> Success
    ) async throws -> Success {
        let task = Task<Success, any Error>(priority: priority, on: self, operation: consume operation)
        return try await withTaskCancellationHandler { try await task.value } onCancel: { task.cancel() }
    }

    /// Cancels every task that has been enqueued so far and has not ended, as their handles' `cancel()` would.
    ///
    /// As everywhere in Swift, a cancelled task runs, and sees `Task.isCancelled`: those that have not begun begin in their turn.
    /// Costs the same however many wait. ``drain(isolation:)`` waits for them.
    public func cancelAll() {
        line.cancelAll()
    }

    /// Waits until every task that has been enqueued so far has ended, and its closure has been released.
    ///
    /// - Precondition: The caller is no task of this queue: it would wait for itself. The program traps with a sentence. (A child
    ///   task of one is not noticed.)
    public func drain(isolation: isolated (any Actor)? = #isolation) async {
        if withUnsafeCurrentTask(body: { $0.map(line.isRunning) ?? false }) {
            fatalError(
                "ActorQueue<\(ActorType.self)>.drain: called from a task of the same queue. It would wait for itself, for ever. "
                    + "Await the tasks that matter by their handles."
            )
        }
        await line.drain(isolation: isolation) { line.nextTurn()?.leave() }
    }
}

extension ActorQueue {
    /// Makes a task for `operation` and puts it into the line.
    @discardableResult @inlinable
    func start<Success: Sendable>(
        name: String? = nil,
        priority: TaskPriority?,
        on actor: ActorType,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async -> Success
    ) -> Task<Success, Never> {
        ActorWork(line, actor, consume operation).makeTask(name: name, priority: priority)
    }

    /// As above, for an `operation` that may throw.
    @inlinable
    func start<Success: Sendable>(
        name: String? = nil,
        priority: TaskPriority?,
        on actor: ActorType,
        _ operation: consuming @escaping @Sendable (isolated ActorType) async throws -> Success
    ) -> Task<Success, any Error> {
        ActorWork(line, actor, consume operation).makeTask(name: name, priority: priority)
    }
}
