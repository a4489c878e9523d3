extension Task where Failure == Never {
    /// Makes a task that runs `operation` on the actor of `queue`, and starts after everything enqueued there before has started.
    ///
    /// A task that is cancelled before its turn still gets its turn, and sees `Task.isCancelled`.
    ///
    /// Don't use this if the actor may have been deallocated: use ``ActorQueue/enqueue(name:priority:_:)``, which returns `false` then.
    ///
    /// - Precondition: The queue has adopted an actor, and the actor still exists. Otherwise the program traps.
    @discardableResult @inlinable
    public init<ActorType: Actor>(
        name: String? = nil,
        priority: TaskPriority? = nil,
        on queue: ActorQueue<ActorType>,
        operation: consuming @escaping @Sendable (isolated ActorType) async -> Success
    ) {
        self = queue.start(name: name, priority: priority, on: queue.actor, consume operation)
    }
}

extension Task where Failure == any Error {
    /// Makes a task that runs `operation` on the actor of `queue`, and starts after everything enqueued there before has started.
    ///
    /// A task that is cancelled before its turn still gets its turn, and sees `Task.isCancelled`.
    ///
    /// Don't use this if the actor may have been deallocated: use ``ActorQueue/enqueue(name:priority:_:)``, which returns `false` then.
    ///
    /// - Precondition: The queue has adopted an actor, and the actor still exists. Otherwise the program traps.
    @discardableResult @inlinable
    public init<ActorType: Actor>(
        name: String? = nil,
        priority: TaskPriority? = nil,
        on queue: ActorQueue<ActorType>,
        operation: consuming @escaping @Sendable (isolated ActorType) async throws -> Success
    ) {
        self = queue.start(name: name, priority: priority, on: queue.actor, consume operation)
    }
}

extension Task where Failure == Never {
    /// Makes a task that runs `operation` on the main actor, and starts after everything enqueued on `queue` before has started.
    ///
    /// A task that is cancelled before its turn still gets its turn, and sees `Task.isCancelled`.
    @discardableResult @inlinable
    public init(
        name: String? = nil,
        priority: TaskPriority? = nil,
        on queue: MainActorQueue,
        operation: consuming @escaping @MainActor () async -> Success
    ) {
        let onActor: @Sendable (isolated MainActor) async -> Success = { [operation = consume operation] _ in await operation() }
        self = queue.queue.start(name: name, priority: priority, on: .shared, consume onActor)
    }
}

extension Task where Failure == any Error {
    /// Makes a task that runs `operation` on the main actor, and starts after everything enqueued on `queue` before has started.
    ///
    /// A task that is cancelled before its turn still gets its turn, and sees `Task.isCancelled`.
    @discardableResult @inlinable
    public init(
        name: String? = nil,
        priority: TaskPriority? = nil,
        on queue: MainActorQueue,
        operation: consuming @escaping @MainActor () async throws -> Success
    ) {
        let onActor: @Sendable (isolated MainActor) async throws -> Success = { [operation = consume operation] _ in try await operation() }
        self = queue.queue.start(name: name, priority: priority, on: .shared, consume onActor)
    }
}
