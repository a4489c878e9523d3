extension Task where Failure == Never {
    /// Makes a task that runs `operation` in its turn on `queue`: after everything enqueued before has ended.
    ///
    /// As in `Task { }`, an `operation` that is written in an actor's method, and uses the actor, runs on that actor. A task that is
    /// cancelled before its turn still gets its turn, and sees `Task.isCancelled`.
    ///
    /// Don't await a later task of the same queue in `operation`: neither task would ever end. A method of an actor, by name, must be
    /// `async`: see "Functions of an actor" in the documentation of `SerialQueue`.
    @discardableResult @inlinable
    public init(
        name: String? = nil,
        priority: TaskPriority? = nil,
        on queue: FIFOQueue,
        @_inheritActorContext @_implicitSelfCapture operation: consuming sending @escaping () async -> Success
    ) {
        let work = FIFOWork(queue, consume operation)
        self = Task(name: name, executorPreference: work, priority: priority) { await work.run() }
    }

    /// Makes a task that runs `operation` on `actor`, which it keeps alive, in its turn on `queue`.
    ///
    /// Like `init(name:priority:on:operation:)` otherwise.
    @discardableResult @inlinable
    public init<ActorType: Actor>(
        name: String? = nil,
        priority: TaskPriority? = nil,
        on queue: FIFOQueue,
        isolatedTo actor: ActorType,
        operation: consuming @escaping @Sendable (isolated ActorType) async -> Success
    ) {
        self.init(name: name, priority: priority, on: queue) { [operation = consume operation] in await operation(actor) }
    }
}

extension Task where Failure == any Error {
    /// Makes a task that runs `operation` in its turn on `queue`: after everything enqueued before has ended.
    ///
    /// As in `Task { }`, an `operation` that is written in an actor's method, and uses the actor, runs on that actor. A task that is
    /// cancelled before its turn still gets its turn, and sees `Task.isCancelled`.
    ///
    /// Don't await a later task of the same queue in `operation`: neither task would ever end. A method of an actor, by name, must be
    /// `async`: see "Functions of an actor" in the documentation of `SerialQueue`.
    @discardableResult @inlinable
    public init(
        name: String? = nil,
        priority: TaskPriority? = nil,
        on queue: FIFOQueue,
        @_inheritActorContext @_implicitSelfCapture operation: consuming sending @escaping () async throws -> Success
    ) {
        let work = FIFOWork(queue, consume operation)
        self = Task(name: name, executorPreference: work, priority: priority) { try await work.run() }
    }

    /// Makes a task that runs `operation` on `actor`, which it keeps alive, in its turn on `queue`.
    ///
    /// Like `init(name:priority:on:operation:)` otherwise.
    @discardableResult @inlinable
    public init<ActorType: Actor>(
        name: String? = nil,
        priority: TaskPriority? = nil,
        on queue: FIFOQueue,
        isolatedTo actor: ActorType,
        operation: consuming @escaping @Sendable (isolated ActorType) async throws -> Success
    ) {
        self.init(name: name, priority: priority, on: queue) { [operation = consume operation] in try await operation(actor) }
    }
}
