extension SerialQueue {
    /// Runs `body` like ``WorkQueue/sync(_:)``, isolated to `actor`, whose executor is this queue.
    ///
    /// So synchronous code can access the actor without `await`:
    /// `let count = queue.sync(isolatedTo: store) { store in store.count }`.
    ///
    /// Don't use this where ``WorkQueue/sync(_:)`` must not be used: on this queue, or on Swift's cooperative threads if the work ahead
    /// takes long.
    ///
    /// - Precondition: This queue is the actor's executor, and ``WorkQueue/sync(_:)`` is legal here. Otherwise the program traps, also in
    ///   release builds, with a message that names the actor's type or the queues.
    /// - Throws: What `body` throws.
    @_transparent
    public func sync<ActorType: Actor, Result: ~Copyable & Sendable, Failure: Error>(
        isolatedTo actor: ActorType,
        _ body: @Sendable (isolated ActorType) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try sync { () throws(Failure) in
            var outcome: Swift.Result<Result, Failure>?
            actor.assumeIsolated { actor in
                do throws(Failure) {
                    outcome = .success(try body(actor))
                } catch {
                    outcome = .failure(error)
                }
            }
            return try outcome.take()!.get()
        }
    }
}
