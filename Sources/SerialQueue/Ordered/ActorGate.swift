/// The actor that a task of an ActorQueue starts on. Its only use is that the task's first job is enqueued here, and put into the
/// line. In its turn the job does nothing but hop to the queue's actor, whose executor runs the rest of the task. It isolates nothing.
///
/// A task executor would do the same without this object. But a task that has one gives up its thread at every hop, also at its
/// own hops to other actors.
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
            // In a build without optimisation the task returns here once more, after its end.
            job.runSynchronously(on: unownedExecutor)
        }
    }
}

/// The turn of one task on an ActorQueue.
///
/// Unchecked Sendable: adds a constant, and the gate, which is written before the task is made.
@usableFromInline
class ActorTurn: QueuedTask, @unchecked Sendable {
    fileprivate let line: TaskLine
    /// It retains this, and the task retains it until it has ended.
    fileprivate unowned(unsafe) var gate: ActorGate!

    @usableFromInline init(_ line: TaskLine) {
        self.line = line
        super.init()
    }

    /// Sends the task to the actor. No user code runs here: the first thing that the task does is the hop.
    final func leave() {
        job!.runSynchronously(on: gate.unownedExecutor)
    }

    /// Notes that the task begins, on the actor.
    @usableFromInline final func begin() {
        line.begin(self)
        // Only now, when this one has begun, the next one is sent: so an executor that prefers priority to order has no choice.
        line.nextTurn()?.leave()
    }

    /// Notes that the task ends, its closure being released already.
    @usableFromInline final func end() {
        line.end(self)
    }
}

extension TaskLine {
    /// As ``next()``, in the line of an ActorQueue.
    func nextTurn() -> ActorTurn? {
        // Nothing else is in this line.
        next().map { unsafeDowncast($0, to: ActorTurn.self) }
    }
}
