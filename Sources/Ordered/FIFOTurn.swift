import CSerialQueue
import CSerialQueue.Private
import SerialQueue
import Synchronization

/// The turn of one task on a FIFOQueue: the task's executor, which holds back the task's first job until its turn, and passes on
/// the later ones.
///
/// Unchecked Sendable: adds a constant and an atomic.
@usableFromInline
class FIFOTurn: QueuedTask, TaskExecutor, @unchecked Sendable {
    /// Where the task is during its turn. A step leads to one place, whatever the place before; that says whether the loop or the task's end gets the
    /// baton.
    enum Whereabouts: UInt8, AtomicRepresentable, CaseIterable {
        /// On some thread, or suspended: its end starts the next one.
        case away
        /// In ``FIFOQueue/runTurns(from:)``, which starts the next one.
        case inLoop
        case ended

        /// Whether the loop (to ``inLoop`` and ``away``) or the task's end (to ``ended``) gets the baton by this step. `nil`: there is no such step.
        func getsBaton(onStepTo next: Whereabouts) -> Bool? {
            switch (self, next) {
            case (.away, .inLoop): false  // the loop has the baton already
            case (.inLoop, .away): false  // the task is suspended, or on another thread
            case (.ended, .away): true
            case (.away, .ended): true
            case (.inLoop, .ended): false  // the loop will get the baton
            case (.away, .away), (.inLoop, .inLoop), (.ended, .inLoop), (.ended, .ended): nil
            }
        }
    }

    private let fifo: FIFOQueue
    private let whereabouts = Atomic(Whereabouts.away)

    @usableFromInline init(_ fifo: FIFOQueue) {
        self.fifo = fifo
        super.init()
    }

    @usableFromInline func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job))
    }

    @usableFromInline func enqueue(_ job: UnownedJob) {
        if self.job == nil {
            self.job = job
            fifo.arrive(self)
        } else {
            fifo.pass(job, of: self)
        }
    }

    final func leave() {
        fifo.pass(job!, of: self)
    }

    @usableFromInline final func begin() {
        fifo.line.begin(self)
        if sq__trace_is_recording() { trace(begins: true) }
    }

    /// The task's last step. Its closure has already been released.
    @usableFromInline final func end() {
        if sq__trace_is_recording() { trace(begins: false) }
        fifo.line.end(self)
        // [turn] pairs with the exchange in `runInLoop`: the later of the two gets the baton.
        if getsBaton(from: whereabouts.exchange(.ended, ordering: .acquiringAndReleasing), to: .ended) {
            fifo.startNext()
        }
    }

    @inline(never)
    private final func trace(begins: Bool) {
        fifo.label.withCString { sq__trace_turn($0, UInt64(UInt(bitPattern: ObjectIdentifier(fifo))), UInt64(UInt(bitPattern: ObjectIdentifier(self))), begins) }
    }

    /// Runs the first job. `true`: the task has ended, and the caller has the baton; `false`: the task's end will have it.
    final func runInLoop() -> Bool {
        whereabouts.store(.inLoop, ordering: .relaxed)
        job!.runSynchronously(on: asUnownedTaskExecutor())
        // [turn] pairs with the exchange in `end`.
        return getsBaton(from: whereabouts.exchange(.away, ordering: .acquiringAndReleasing), to: .away)
    }

    private final func getsBaton(from place: Whereabouts, to next: Whereabouts) -> Bool {
        guard let gets = place.getsBaton(onStepTo: next) else {
            fatalError("a task of queue \"\(fifo.label)\" went from \(place) to \(next): this is a bug in SerialQueue, please report it.")
        }
        return gets
    }
}

extension FIFOQueue {
    /// How many turns a thread runs before it yields to other tasks.
    private static let batch = 1_000

    /// A task's first job has arrived.
    fileprivate func arrive(_ turn: FIFOTurn) {
        if line.arrive(turn) {
            turn.leave()
        }
    }

    /// Passes `job` to the executor that runs this queue's tasks.
    fileprivate func pass(_ job: UnownedJob, of turn: FIFOTurn) {
        if let queue {
            queue.enqueue(job, of: turn)
        } else {
            enqueueGlobally(job, of: turn)
        }
    }

    /// Starts the next task, after one has ended elsewhere. The caller has the baton.
    func startNext() {
        guard let next = nextTurn() else { return }
        if queue == nil {
            runTurnsElsewhere(from: next)
        } else {
            next.leave()
        }
    }

    private func runTurnsElsewhere(from turn: FIFOTurn) {
        Task.detached(priority: TaskPriority(turn.job!.priority)) { self.runTurns(from: turn) }
    }

    /// Runs one task after the other, while they do not suspend. The caller has the baton.
    private func runTurns(from first: FIFOTurn) {
        var turn = first
        for _ in 0..<Self.batch {
            guard turn.runInLoop(), let next = nextTurn() else { return }
            turn = next
        }
        runTurnsElsewhere(from: turn)
    }

    private func nextTurn() -> FIFOTurn? {
        // The line contains nothing else.
        line.next().map { unsafeDowncast($0, to: FIFOTurn.self) }
    }
}

extension SerialQueue {
    /// Like `_enqueueJobOfTask(_:)`, but with `turn` as the task's executor, so that calls of nonisolated functions
    /// do not go through the queue again.
    fileprivate func enqueue(_ job: UnownedJob, of turn: FIFOTurn) {
        let retained = Unmanaged.passRetained(turn)
        let run: sq_pair_function_t = { job, turn, _ in
            let turn = Unmanaged<FIFOTurn>.fromOpaque(turn!).takeRetainedValue()
            JobWord.take(job!).runSynchronously(on: turn.asUnownedTaskExecutor())
        }
        let word = JobWord.of(job)
        if sq_async_job(queue, run, word, retained.toOpaque()) != 0 {
            retained.release()
            let job = JobWord.take(word)
            // This handles a queue that has been shut down, and traps with the right message otherwise.
            _enqueueJobOfTask(ExecutorJob(job))
        }
        withExtendedLifetime(self) {}
    }
}
