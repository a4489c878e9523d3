/// The turn of one task on an ActorQueue: an actor whose only use is that the task's first job is enqueued with it, where it
/// is kept until the turn has come. Run then, the job does nothing but hop to the queue's actor, by whose executor the task
/// goes on as if it had come there directly.
///
/// The fields are written by one party at a time: by the enqueuing thread until the first ``enqueue(_:)`` hands it to the
/// line, then as ``Held`` says. It isolates nothing.
actor ActorTurn<ActorType: Actor, Success: Sendable, Failure: Error>: SerialExecutor, Held {
    typealias Operation = @Sendable (isolated ActorType) async throws(Failure) -> Success

    private nonisolated let line: Line
    private nonisolated let actor: ActorType
    /// Taken out by the task, so that it is released before the task ends.
    private nonisolated(unsafe) var operation: Operation?

    nonisolated(unsafe) var job: UnownedJob?
    nonisolated(unsafe) var behind: (any Held)?
    nonisolated(unsafe) var number = 0
    nonisolated(unsafe) var task: UnsafeCurrentTask?
    nonisolated(unsafe) var newer: (any Held)?
    nonisolated(unsafe) unowned(unsafe) var older: (any Held)?

    init(_ line: Line, _ actor: ActorType, _ operation: @escaping Operation) {
        self.line = line
        self.actor = actor
        self.operation = operation
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    nonisolated func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if self.job == nil {
            self.job = job
            if line.arrive(self) { leave() }
        } else {
            // Not optimised, the task comes back once more, after its end.
            job.runSynchronously(on: unownedExecutor)
        }
    }

    /// Lets the task leave for the actor. No code of the user's runs here: the first thing that the task does is the hop.
    nonisolated func leave() {
        job!.runSynchronously(on: unownedExecutor)
    }

    /// The task, from its first job on.
    func run() async throws(Failure) -> Success {
        try await Self.run(self, on: actor)
    }

    private static func run(_ turn: ActorTurn, on actor: isolated ActorType) async throws(Failure) -> Success {
        turn.line.begin(turn)
        defer { turn.line.end(turn) }
        // Only now, when this one has begun, the next one is sent: so an executor that prefers priority to order has no choice.
        turn.line.next()?.leave()
        return try await turn.take()(actor)
    }

    private nonisolated func take() -> Operation {
        operation.take()!
    }
}

extension ActorTurn {
    /// Calls `make` with this as the actor that the task's closure is to be isolated to, without being isolated to it: there is
    /// nothing to protect.
    nonisolated func makeTask<TaskFailure: Error>(
        _ make: (isolated ActorTurn) -> Task<Success, TaskFailure>
    ) -> Task<Success, TaskFailure> {
        typealias NotIsolated = (ActorTurn) -> Task<Success, TaskFailure>
        // As the standard library's `assumeIsolated` does it.
        return withoutActuallyEscaping(make) { unsafeBitCast($0, to: NotIsolated.self)(self) }
    }
}
