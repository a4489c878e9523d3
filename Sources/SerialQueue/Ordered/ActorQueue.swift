import Synchronization

/// An ActorQueue's actor. Not generic, as types that depend on unknown ones are looked up at each use.
private final class Adopted: Sendable {
    weak let actor: (AnyObject & Sendable)?
    init(_ actor: AnyObject & Sendable) { self.actor = actor }
}

/// Runs async closures on an actor: they begin in the order in which they were enqueued, and may interleave where they suspend.
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
/// Each closure runs as a task of its own, which takes over task-locals and priority from the enqueuing context as `Task { }`
/// does; the order holds whatever the priorities are. A task keeps the actor alive until it has ended; the queue does not.
/// A task may await a later one of the same queue.
///
/// If each closure has to end before the next one begins, use a ``FIFOQueue``.
public final class ActorQueue<ActorType: Actor>: Sendable {
    @usableFromInline let line = TaskLine()
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

    /// The actor. Traps if it is gone, or if there never was one.
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

// Swift 6.3 cannot reflect a generic class with noncopyable fields: it ends the process.
extension ActorQueue: CustomReflectable {
    /// Has no children: a queue shows nothing of its tasks.
    public var customMirror: Mirror {
        Mirror(self, children: [:])
    }
}

extension ActorQueue {
    /// Enqueues `operation` and returns at once.
    ///
    /// - Parameters:
    ///   - name: The task's, for debuggers and `Task.name`.
    ///   - priority: The task's; `nil`: the enqueuing context's.
    ///   - operation: What the task does; it begins on the actor, in turn.
    /// - Returns: `false` if the actor is gone. Then `operation` will not run and has been released.
    /// - Precondition: The queue has adopted an actor.
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

    /// Enqueues `operation`, waits for its end, and returns its result.
    ///
    /// If the caller is cancelled, so is the operation; it still gets its turn. May be called from a task of this queue, too.
    ///
    /// - Precondition: The queue has adopted an actor, and the actor still exists. Where it may be gone, use
    ///   ``enqueue(name:priority:_:)``, which returns `false` then.
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
    /// As everywhere in Swift, a cancelled task runs, and sees `Task.isCancelled`. A task that runs is cancelled at once. A task
    /// that waits is cancelled as it begins, in its turn; until then its handle's `isCancelled` is `false`. So this costs the same
    /// however many wait. ``drain()`` waits for them.
    public func cancelAll() {
        line.cancelAll()
    }

    /// Waits until every task that has been enqueued so far has ended, and its closure has been released.
    ///
    /// - Precondition: The caller is no task of this queue: it would wait for itself. The program traps with a message. (A child
    ///   task of one is not noticed.)
    public nonisolated(nonsending) func drain() async {
        if withUnsafeCurrentTask(body: { $0.map(line.isRunning) ?? false }) {
            fatalError(
                "ActorQueue<\(ActorType.self)>.drain: called from a task of the same queue. It would wait for itself, forever. "
                    + "Await the tasks that matter by their handles."
            )
        }
        await line.drain() { line.nextTurn()?.leave() }
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

    /// The task behind enqueueAndWait. A function of its own: a closure made in an isolated function would inherit the isolation,
    /// and would be kept until the wait is over.
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
