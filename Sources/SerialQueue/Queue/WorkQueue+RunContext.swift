import CSerialQueueSwiftCall

extension WorkQueue {
    /// What a closure of ``run(_:)-(()->Result)`` or ``ConcurrentQueue/runBarrier(_:)-(()->Result)`` can ask about the task that waits for it.
    ///
    /// It may be passed on, also to other threads. After the call has returned, it says what it said at the end.
    public struct RunContext: Sendable {
        let call: QueuedCall

        /// Whether the caller's task was cancelled. It becomes `true` while the closure runs.
        public var isCancelled: Bool { call.callerIsCancelled }

        /// Throws `CancellationError` if the caller's task was cancelled.
        public func checkCancellation() throws {
            if isCancelled { throw CancellationError() }
        }
    }

    /// As ``run(_:)-(()->Result)``, with a `body` that can ask whether its caller was cancelled, because `Task.isCancelled` is always `false` there.
    ///
    /// ```swift
    /// let queue = SerialQueue(label: "com.example.search")
    /// let primes = try await queue.run { context in
    ///     try (2..<1_000).filter { number in
    ///         try context.checkCancellation()
    ///         return (2..<number).allSatisfy { number % $0 != 0 }
    ///     }
    /// }
    /// print(primes.count)
    /// ```
    ///
    /// - Parameter body: Gets the caller's ``RunContext``. It need not ask: then it runs to its end, and the call returns its result.
    /// - Throws: As ``run(_:)-(()->Result)``; what `body` throws includes the `CancellationError` of ``RunContext/checkCancellation()``.
    @_transparent
    public nonisolated(nonsending) func run<Result: ~Copyable>(
        _ body: consuming sending @escaping (RunContext) throws -> sending Result
    ) async throws -> sending Result {
        try await run(asking: consume body, asBarrier: false, from: sq_swift_here())
    }

    @usableFromInline
    nonisolated(nonsending) func run<Result: ~Copyable>(
        asking body: consuming sending @escaping (RunContext) throws -> sending Result, asBarrier isBarrier: Bool,
        from caller: UnsafeRawPointer
    ) async throws -> sending Result {
        try await AwaitedCall(asking: consume body).result(on: self, asBarrier: isBarrier, from: caller)
    }
}

extension ConcurrentQueue {
    /// As ``runBarrier(_:)-(()->Result)``, with a `body` that can ask whether its caller was cancelled: see ``WorkQueue/RunContext``.
    ///
    /// - Throws: As ``runBarrier(_:)-(()->Result)``; what `body` throws includes the `CancellationError` of ``WorkQueue/RunContext/checkCancellation()``.
    @_transparent
    public nonisolated(nonsending) func runBarrier<Result: ~Copyable>(
        _ body: consuming sending @escaping (RunContext) throws -> sending Result
    ) async throws -> sending Result {
        try await run(asking: consume body, asBarrier: true, from: sq_swift_here())
    }
}
