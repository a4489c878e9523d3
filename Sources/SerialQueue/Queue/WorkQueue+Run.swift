import CSerialQueueSwiftCall

extension WorkQueue {
    /// Runs `body` in its turn on the queue's thread, and suspends the caller until its result is there.
    ///
    /// On a ``ConcurrentQueue`` it runs on a thread of the pool, at the same time as other closures that are not barriers.
    ///
    /// If the caller is cancelled before the turn, the call throws `CancellationError` immediately. Then `body` never runs: it counts
    /// as withdrawn, it no longer takes up room, and its captures have been released. A `body` that has started runs to its end,
    /// and the call returns its result. In `body`, `Task.isCancelled` is always `false`: the queue's thread runs no task. A body with a parameter,
    /// `run { context in }`, can ask its ``RunContext``. <doc:WhichQueue> has a table of what each call carries.
    ///
    /// On a full queue with a capacity, the caller is suspended until there is room, in one FIFO order with ``submit(_:)`` and
    /// ``async(waitingUpTo:_:)``. No thread is blocked. May be called from an actor on this queue: the actor is suspended, so the
    /// queue continues.
    ///
    /// Don't use this for work that suspends: use an actor. For tiny pieces of work, ``sync(_:)`` from a thread that may block is
    /// faster.
    ///
    /// - Throws: What `body` throws; `CancellationError`; or, if `body` did not run, a ``SerialQueueError``: `shutDown`;
    ///   `noResources`; `fromBeforeFork`.
    @_transparent
    public nonisolated(nonsending) func run<Result: ~Copyable>(
        _ body: consuming sending @escaping () throws -> sending Result
    ) async throws -> sending Result {
        try await run(consume body, asBarrier: false, from: sq_swift_here())
    }

    @usableFromInline
    nonisolated(nonsending) func run<Result: ~Copyable>(
        _ body: consuming sending @escaping () throws -> sending Result, asBarrier isBarrier: Bool, from caller: UnsafeRawPointer
    ) async throws -> sending Result {
        try await AwaitedCall(consume body).result(on: self, asBarrier: isBarrier, from: caller)
    }

    /// Submits `body` like `async(_:)`, but suspends the caller while the queue is full.
    ///
    /// Waiting callers get room in one FIFO order with those of ``async(waitingUpTo:_:)`` and ``run(_:)-(()->Result)``. The call
    /// returns when
    /// `body` has been accepted, not when it has run. If the caller is cancelled before that, the call throws; an accepted `body` is
    /// not withdrawn.
    ///
    /// - Throws: `CancellationError`, or a ``SerialQueueError``: `shutDown`; `noResources`; `fromBeforeFork`. Then `body`
    ///   will not run, and has been released.
    @_transparent
    public nonisolated(nonsending) func submit(_ body: consuming sending @escaping () -> Void) async throws {
        try await submit(consume body, from: sq_swift_here())
    }

    @usableFromInline
    nonisolated(nonsending) func submit(
        _ body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer
    ) async throws {
        try await SubmittedCall(consume body).accepted(by: self, from: caller)
    }
}
