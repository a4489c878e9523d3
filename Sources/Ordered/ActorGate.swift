/// The actor that a task of an ActorQueue starts on. Its only purpose is that the task's first job is enqueued here, and put into
/// the line. In its turn the job only hops to the queue's actor, whose executor runs the rest of the task. It isolates nothing.
///
/// A task executor would do the same without this object. But a task with a task executor yields its thread at every hop, also at
/// the task's own hops to other actors.
@usableFromInline
actor ActorGate: SerialExecutor {
    @usableFromInline nonisolated let turn: ActorTurn

    @usableFromInline init(_ turn: ActorTurn) {
        self.turn = turn
        turn.gate = self
    }

    @usableFromInline nonisolated var unownedExecutor: UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    @usableFromInline nonisolated func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if turn.job == nil {
            turn.job = job
            if turn.line.arrive(turn) { turn.leave() }
        } else {
            // Without optimisation the task returns here once more, after its end.
            job.runSynchronously(on: unownedExecutor)
        }
    }

    /// For `assumeIsolated` (ActorWork.swift): the gate protects nothing.
    @usableFromInline nonisolated func isIsolatingCurrentContext() -> Bool? {
        true
    }
}

/// The turn of one task on an ActorQueue.
///
/// Unchecked Sendable: adds a constant, and the gate, which is written before the task is made.
@usableFromInline
class ActorTurn: QueuedTask, @unchecked Sendable {
    fileprivate let line: TaskLine
    /// The gate retains this turn, and the task retains the gate until the task has ended.
    fileprivate unowned(unsafe) var gate: ActorGate!

    @usableFromInline init(_ line: TaskLine) {
        self.line = line
        super.init()
    }

    /// Sends the task to the actor. Runs no user code: the task starts with the hop.
    final func leave() {
        job!.runSynchronously(on: gate.unownedExecutor)
    }

    /// Records that the task begins, on the actor.
    @usableFromInline final func begin() {
        line.begin(self)
        // The next task is sent only now that this one has begun, so an executor that orders by priority cannot reorder them.
        line.nextTurn()?.leave()
    }

    /// Records that the task ends. Its closure has already been released.
    @usableFromInline final func end() {
        line.end(self)
    }
}

extension TaskLine {
    /// ``next()``, in the line of an ActorQueue.
    func nextTurn() -> ActorTurn? {
        // The line contains nothing else.
        next().map { unsafeDowncast($0, to: ActorTurn.self) }
    }
}
