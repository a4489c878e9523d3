import SerialQueue
import Synchronization

/// What the graph and the queues know of an operation: everything except its types.
///
/// A `WorkOperation` is a handle of a node. An operation that was added to a queue is kept by the queue until it has ended; then
/// all links to other operations are cut, so no chain of ended operations stays alive.
///
/// Unchecked Sendable: fields are fixed, atomic, under the lock of ``OperationGraph``, or belong to the one thread that runs the
/// operation. The letters say which: I fixed after init, A atomic, L under the lock, R the runner's while `stage` is `running`,
/// and fixed after the end.
class OperationNode: @unchecked Sendable {
    enum Stage: UInt8, CaseIterable {
        /// Not in a queue yet. More dependencies can be added.
        case made
        /// In a queue, and waits for predecessors.
        case pending
        /// In a queue, and waits for a lane.
        case ready
        /// On a lane.
        case running
        /// Has an outcome.
        case ended

        enum Event: CaseIterable {
            /// It is added to a queue, behind predecessors that have not ended, or with one that has failed.
            case waits
            /// It is added with nothing to wait for, or its last predecessor has ended.
            case isFree
            /// A lane takes it.
            case starts
            /// It has an outcome: its closure has returned, or will never run.
            case ends
        }

        /// The stage after the event; `nil`: the event cannot come in this stage.
        func after(_ event: Event) -> Stage? {
            switch (self, event) {
            case (.made, .waits): .pending
            case (.made, .isFree), (.pending, .isFree): .ready
            case (.ready, .starts): .running
            case (.made, .ends), (.pending, .ends), (.ready, .ends), (.running, .ends): .ended
            case (.made, .starts), (.pending, .waits), (.pending, .starts), (.ready, .waits), (.ready, .isFree): nil
            case (.running, .waits), (.running, .isFree), (.running, .starts), (.ended, _): nil
            }
        }
    }

    /// Bits of `flags`.
    static let cancelled: UInt8 = 1
    static let ended: UInt8 = 2

    final let label: String  // I
    final let priority: OperationPriority  // I
    /// It runs whatever the outcome of its predecessors is.
    final let runsAfterFailure: Bool  // I
    final let flags = Atomic<UInt8>(0)  // A
    private(set) final var stage = Stage.made  // L
    /// Whether it was added to a queue.
    final var isAdded = false  // L
    /// Its number in the order of all operations with dependencies, see ``OperationGraph``. 0: it has none.
    final var order = 0  // L
    /// The last search that visited it.
    final var mark = 0  // L
    /// How many of `predecessors` have not ended.
    final var unfinished = 0  // L
    final var predecessors: [OperationNode] = []  // L
    final var successors: [OperationNode] = []  // L
    /// The queue that it was added to, until it has ended.
    final var core: QueueCore?  // L
    /// The lane that it is on.
    final var lane: Lane?  // L
    final var waiters: [Waiter] = []  // L
    /// Waits that need its end, and look again when its stage has changed.
    final var followers: [Waiter] = []  // L
    /// Runs the closure, if that is async.
    final var task: Task<Void, Never>?  // L
    /// The task that the closure runs in; `nil`: in none, on a thread. Set before the closure begins.
    final nonisolated(unsafe) var ownTask: UnsafeCurrentTask?  // R
    /// The neighbours in the list of its stage; the list holds the references.
    final var previous: Unmanaged<OperationNode>?  // L
    final var next: Unmanaged<OperationNode>?  // L
    /// Why it has no value. Set before `ended`.
    final var failure: (any Error)?  // R, or L

    init(label: String, priority: OperationPriority, runsAfterFailure: Bool, isOnThread: Bool) {
        self.isOnThread = isOnThread
        self.label = label
        self.priority = priority
        self.runsAfterFailure = runsAfterFailure
    }

    /// With the lock. The caller moves it from the list of the stage before to that of the stage after.
    final func step(_ event: Stage.Event) {
        guard let next = stage.after(event) else {
            fatalError("operation \"\(label)\" is \(stage), and \(event): this is a bug in SerialQueueOperations, please report it.")
        }
        stage = next
    }

    /// Whether it has ended. If so, what it wrote is visible.
    final var hasEnded: Bool { flags.load(ordering: .acquiring) & Self.ended != 0 }

    final var isCancelled: Bool { flags.load(ordering: .relaxed) & Self.cancelled != 0 }

    /// The closure is not async: while the operation runs, it is on the stack of a thread.
    final let isOnThread: Bool  // I

    /// Runs the closure. False: it is async; call `runTask`.
    func run() -> Bool { preconditionFailure("abstract") }

    /// Runs the async closure.
    func runAsync() async { preconditionFailure("abstract") }

    /// Releases the closure of an operation that never runs. User code runs here.
    func discard() { preconditionFailure("abstract") }
}

/// An operation with its closure and its value.
///
/// Unchecked Sendable: `body` belongs to the thread that ends the operation, `value` is written before `ended` is set.
final class ValueNode<Value: Sendable>: OperationNode, @unchecked Sendable {
    enum Body {
        case sync(() throws -> Value)
        case async(() async throws -> Value)
    }

    private var body: Body?
    private var value: Value?

    init(_ label: String, _ priority: OperationPriority, runsAfterFailure: Bool, _ body: sending Body) {
        var isOnThread = false
        if case .sync = body { isOnThread = true }
        self.body = body
        super.init(label: label, priority: priority, runsAfterFailure: runsAfterFailure, isOnThread: isOnThread)
    }

    /// The outcome. Call it only if the operation has ended.
    var outcome: Result<Value, any Error> {
        if let failure { .failure(failure) } else { .success(value!) }
    }

    override func run() -> Bool {
        guard case .sync(let closure) = body else { return false }
        body = nil
        do { value = try closure() } catch { failure = error }
        return true
    }

    override func runAsync() async {
        guard case .async(let closure) = body.take() else { return }
        do { value = try await closure() } catch { failure = error }
    }

    override func discard() {
        body = nil
    }
}
