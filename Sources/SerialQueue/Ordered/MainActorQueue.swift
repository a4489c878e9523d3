/// Runs async closures on the main actor: they begin in the order in which they were enqueued, and may interleave where they
/// suspend.
///
/// An ``ActorQueue`` for the main actor, which is always there: so nothing needs to be adopted, and a closure that cannot throw
/// makes a task that cannot fail. There is one, ``shared``, also available as `MainActor.queue`.
///
/// Don't use it in programs whose main thread never runs the main actor: then nothing runs.
public final class MainActorQueue: Sendable {
    /// The queue of the main actor.
    public static let shared = MainActorQueue()

    @usableFromInline let queue = ActorQueue<MainActor>()

    private init() {
        queue.adoptExecutionContext(of: .shared)
    }
}

// Swift 6.3 cannot reflect a generic class with noncopyable fields, such as this one has inside: it ends the process.
extension MainActorQueue: CustomReflectable {
    /// Has no children: a queue shows nothing of its tasks.
    public var customMirror: Mirror {
        Mirror(self, children: [:])
    }
}

extension MainActor {
    /// The main actor's queue: ``MainActorQueue/shared``.
    public static var queue: MainActorQueue { .shared }
}

extension MainActorQueue {
    /// Enqueues `operation` and returns at once.
    ///
    /// - Parameters:
    ///   - name: The task's, for debuggers and `Task.name`.
    ///   - priority: The task's; `nil`: the enqueuing context's.
    ///   - operation: What the task does; it begins on the main actor, in turn.
    public func enqueue(
        name: String? = nil,
        priority: TaskPriority? = nil,
        _ operation: consuming @escaping @MainActor () async -> Void
    ) {
        Task(name: name, priority: priority, on: self, operation: consume operation)
    }

    /// Enqueues `operation`, waits for its end, and returns its result.
    ///
    /// If the caller is cancelled, so is the operation; it still gets its turn. May be called from a task of this queue, too.
    ///
    /// - Throws: What `operation` throws.
    public nonisolated(nonsending) func enqueueAndWait<Success: Sendable, Failure: Error>(
        name: String? = nil,
        priority: TaskPriority? = nil,
        _ operation: consuming @escaping @MainActor () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        try await resultTask(name, priority, consume operation).valueOrCancelled().get()
    }

    /// Cancels every task that has been enqueued so far and has not ended.
    ///
    /// As everywhere in Swift, a cancelled task runs, and sees `Task.isCancelled`. A task that runs is cancelled at once. A task
    /// that waits is cancelled as it begins, in its turn; until then its handle's `isCancelled` is `false`. So this costs the same
    /// however many wait. ``drain()`` waits for them.
    public func cancelAll() {
        queue.cancelAll()
    }

    /// Waits until every task that has been enqueued so far has ended, and its closure has been released.
    ///
    /// - Precondition: The caller is no task of this queue: it would wait for itself. The program traps with a message. (A child
    ///   task of one is not noticed.)
    public nonisolated(nonsending) func drain() async {
        await queue.drain()
    }

    /// The task behind enqueueAndWait. A function of its own: a closure made in an isolated function would inherit the isolation,
    /// and would be kept until the wait is over.
    private func resultTask<Success: Sendable, Failure: Error>(
        _ name: String?,
        _ priority: TaskPriority?,
        _ operation: consuming @escaping @MainActor () async throws(Failure) -> Success
    ) -> Task<Result<Success, Failure>, Never> {
        Task(name: name, priority: priority, on: self) { [operation = consume operation] in
            do throws(Failure) {
                return .success(try await operation())
            } catch {
                return .failure(error)
            }
        }
    }
}
