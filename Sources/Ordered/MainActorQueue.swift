/// Runs async closures on the main actor: they start in the order in which they were enqueued, and may interleave where they
/// suspend.
///
/// This is an ``ActorQueue`` for the main actor. The main actor always exists, so there is nothing to adopt. There is one such queue,
/// ``shared``, also available as `MainActor.queue`.
///
/// Don't use this in programs whose main thread never runs the main actor: the closures would never run.
public final class MainActorQueue: Sendable {
    /// The queue of the main actor.
    public static let shared = MainActorQueue()

    @usableFromInline let queue = ActorQueue<MainActor>()

    private init() {
        queue.adoptExecutionContext(of: .shared)
    }
}

// Swift 6.3 crashes when it reflects a generic class with noncopyable fields, and this class contains one.
extension MainActorQueue: CustomReflectable {
    /// A mirror without children.
    public var customMirror: Mirror {
        Mirror(self, children: [:])
    }
}

extension MainActor {
    /// The main actor's queue: ``MainActorQueue/shared``.
    public static var queue: MainActorQueue { .shared }
}

extension MainActorQueue {
    /// Enqueues `operation` and returns immediately.
    ///
    /// - Parameters:
    ///   - name: The task's name, for debuggers and `Task.name`.
    ///   - priority: The task's priority; `nil`: that of the enqueuing context.
    ///   - operation: The task's work. It starts on the main actor, in its turn.
    public func enqueue(
        name: String? = nil,
        priority: TaskPriority? = nil,
        _ operation: consuming @escaping @MainActor () async -> Void
    ) {
        Task(name: name, priority: priority, on: self, operation: consume operation)
    }

    /// Enqueues `operation`, and suspends the caller until its result is there.
    ///
    /// If the caller is cancelled, so is the operation's task; it still gets its turn. May also be called from a task of this queue.
    ///
    /// - Throws: What `operation` throws.
    public nonisolated(nonsending) func enqueueAndWait<Success: Sendable, Failure: Error>(
        name: String? = nil,
        priority: TaskPriority? = nil,
        _ operation: consuming @escaping @MainActor () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        try await resultTask(name, priority, consume operation).valueOrCancelled().get()
    }

    /// Cancels every task that has been enqueued so far and has not ended, also those of other code: the whole program shares this queue.
    ///
    /// To cancel only some of them, keep their handles, or use another queue of the main actor, an `ActorQueue<MainActor>`.
    ///
    /// As everywhere in Swift, a cancelled task still runs, and sees `Task.isCancelled`. A running task is cancelled immediately. A
    /// waiting task is cancelled when it starts, in its turn; until then its handle's `isCancelled` is `false`. So the cost does not
    /// depend on the number of waiting tasks. ``drain()`` waits until they have ended.
    public func cancelAll() {
        queue.cancelAll()
    }

    /// Waits until every task that has been enqueued so far has ended, and its closure has been released. ``drain(within:)`` can be left.
    ///
    /// - Precondition: The caller is not a task of this queue, nor a child task of one: it would wait for itself. In a task of the
    ///   queue the program traps, with a message; in a child task the call hangs.
    public nonisolated(nonsending) func drain() async {
        await queue.drain()
    }

    /// As ``drain()``, with a time limit, and for callers that can be cancelled. A caller that leaves early changes nothing.
    ///
    /// - Parameter limit: How long to wait, on the real clock; `nil`: without limit.
    /// - Precondition: As for ``drain()``.
    /// - Throws: `CancellationError`, at once, if the caller is cancelled; or a `SerialQueueError`: `timedOut`.
    public nonisolated(nonsending) func drain(within limit: Duration?) async throws {
        try await queue.drain(within: limit)
    }

    /// The task behind enqueueAndWait. A separate function, because a closure created in an isolated function would inherit the
    /// isolation, and would not be released before the wait is over.
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
