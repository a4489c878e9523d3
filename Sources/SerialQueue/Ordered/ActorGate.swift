/// What holds one task of an ActorQueue: an actor whose only use is that the task's first job is enqueued with it, where it
/// is kept until the turn has come. Run then, the job does nothing but hop to the queue's actor, by whose executor the task
/// goes on as if it had come there directly. It isolates nothing.
@usableFromInline
actor ActorGate: SerialExecutor {
    @usableFromInline nonisolated let line: Line
    /// The task's link in the line. It retains this, and the task retains both until it has ended.
    @usableFromInline nonisolated(unsafe) unowned(unsafe) var held: Held!

    @usableFromInline init(_ line: Line) {
        self.line = line
    }

    @usableFromInline nonisolated var unownedExecutor: UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    @usableFromInline nonisolated func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if held.job == nil {
            held.job = job
            if line.arrive(held) { held.leave() }
        } else {
            // Not optimised, the task comes back once more, after its end.
            job.runSynchronously(on: unownedExecutor)
        }
    }

    /// The task, from its first job on.
    @inlinable func run<ActorType, Success, Failure>(
        _ work: ActorWork<ActorType, Success, Failure>
    ) async throws(Failure) -> Success {
        try await work.run(on: work.actor)
    }

    /// Calls `body` with this as the actor that a closure is to be isolated to, without being isolated to it: there is nothing
    /// to protect.
    @inlinable nonisolated func withoutIsolation<Result>(_ body: (isolated ActorGate) -> Result) -> Result {
        typealias NotIsolated = (ActorGate) -> Result
        // As the standard library's `assumeIsolated` does it.
        return withoutActuallyEscaping(body) { unsafeBitCast($0, to: NotIsolated.self)(self) }
    }
}

/// What is generic in an ActorQueue's task, with the closure, which is released before the task ends. Inlinable, so that it is
/// made for the client's types: a closure stored for types unknown costs a conversion, and memory, each time.
@usableFromInline
final class ActorWork<ActorType: Actor, Success: Sendable, Failure: Error>: Held, @unchecked Sendable {
    @usableFromInline typealias Operation = @Sendable (isolated ActorType) async throws(Failure) -> Success

    @usableFromInline let gate: ActorGate
    @usableFromInline let actor: ActorType
    // Written before the task is made, taken out by the task.
    @usableFromInline var operation: Operation?

    @inlinable init(_ line: Line, _ actor: ActorType, _ operation: @escaping Operation) {
        gate = ActorGate(line)
        self.actor = actor
        self.operation = operation
        super.init()
        gate.held = self
    }

    /// Lets the task leave for the actor. No code of the user's runs here: the first thing that the task does is the hop.
    @usableFromInline override func leave() {
        job!.runSynchronously(on: gate.unownedExecutor)
    }

    @inlinable func run(on actor: isolated ActorType) async throws(Failure) -> Success {
        gate.line.begin(self)
        defer { gate.line.end(self) }
        // Only now, when this one has begun, the next one is sent: so an executor that prefers priority to order has no choice.
        gate.line.next()?.leave()
        return try await take()(actor)
    }

    @inlinable func take() -> Operation {
        operation.take()!
    }
}
