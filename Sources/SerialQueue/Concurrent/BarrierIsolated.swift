import CSerialQueueSwiftCall

/// A value that belongs to a concurrent queue: closures read it at the same time, and barriers change it alone.
///
/// ```swift
/// let entries = BarrierIsolated([String: Int](), on: ConcurrentQueue(label: "com.example.cache"))
/// entries.syncBarrier { $0["one"] = 1 }
/// print(entries.sync { $0["one"] ?? 0 })
/// ```
///
/// Readers get the value borrowed: the compiler refuses changes. Each call is the queue's call of the same name. The value is `Sendable`,
/// because several threads read it at a time.
///
/// Don't use this where most closures change the value, or take less than a microsecond: ``QueueIsolated`` is faster there.
public final class BarrierIsolated<Value: Sendable & ~Copyable>: @unchecked Sendable {
    // Sendable because the queue runs a barrier alone (sq_barrier.h), and closures that are not barriers only read. A barrier cannot be nested
    // in another closure of this object, nor another one in a barrier: such a wait is refused.

    /// The queue that the closures run on.
    public let queue: ConcurrentQueue

    /// Without the dynamic check for exclusive access: the queue excludes.
    @exclusivity(unchecked) @usableFromInline final var value: Value

    /// Makes a value that belongs to `queue`. A queue may have several.
    public init(_ value: consuming Value, on queue: ConcurrentQueue) {
        self.queue = queue
        self.value = value
    }
}

extension BarrierIsolated where Value: ~Copyable {
    /// Waits for the barriers submitted before, runs `body` on the calling thread, and returns its result, as ``WorkQueue/sync(_:)`` does.
    /// Nothing is allocated.
    ///
    /// - Precondition: As for ``WorkQueue/sync(_:)``: the caller is not in a barrier of the queue.
    /// - Throws: What `body` throws.
    @_transparent
    public func sync<Result: ~Copyable, Failure: Error>(
        _ body: (borrowing Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try queue.sync { () throws(Failure) -> Result in try body(value) }
    }

    /// Runs `body` like ``sync(_:)``, but waits for its turn at most for `limit`; after that, `body` never runs.
    ///
    /// - Throws: What `body` throws, or a ``SerialQueueError``, as ``WorkQueue/sync(within:_:)`` does.
    @_transparent
    public func sync<Result: ~Copyable>(
        within limit: Duration, _ body: (borrowing Value) throws -> Result
    ) throws -> Result {
        try queue.sync(within: limit) { try body(value) }
    }

    /// Runs `body` on a thread of the pool, at the same time as other readers, and suspends the caller until its result is there, as
    /// ``WorkQueue/run(_:)-(()->Result)`` does.
    ///
    /// - Throws: What `body` throws; `CancellationError`; or, if `body` did not run, a ``SerialQueueError``: `shutDown`;
    ///   `noResources`; `fromBeforeFork`.
    @_transparent
    public nonisolated(nonsending) func run<Result: ~Copyable>(
        _ body: consuming sending @escaping (borrowing Value) throws -> sending Result
    ) async throws -> sending Result {
        try await run(consume body, from: sq_swift_here())
    }

    @usableFromInline
    nonisolated(nonsending) func run<Result: ~Copyable>(
        _ body: consuming sending @escaping (borrowing Value) throws -> sending Result, from caller: UnsafeRawPointer
    ) async throws -> sending Result {
        let body = body
        return try await queue.run({ try body(self.value) }, asBarrier: false, from: caller)
    }

    /// Waits for everything submitted before, runs `body` alone on the calling thread, and returns its result, as
    /// ``ConcurrentQueue/syncBarrier(_:)`` does. Nothing is allocated.
    ///
    /// - Precondition: As for ``ConcurrentQueue/syncBarrier(_:)``: the caller is not on the queue, also not in a closure that is no barrier.
    /// - Throws: What `body` throws.
    @_transparent
    public func syncBarrier<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try queue.syncBarrier { () throws(Failure) -> Result in try body(&value) }
    }

    /// Runs `body` like ``syncBarrier(_:)``, but waits for its turn at most for `limit`; after that, `body` never runs.
    ///
    /// - Throws: What `body` throws, or a ``SerialQueueError``, as ``ConcurrentQueue/syncBarrier(within:_:)`` does.
    @_transparent
    public func syncBarrier<Result: ~Copyable>(
        within limit: Duration, _ body: (inout Value) throws -> Result
    ) throws -> Result {
        try queue.syncBarrier(within: limit) { try body(&value) }
    }

    /// Submits `body` to run alone, after everything submitted before and before everything after it, and returns immediately.
    ///
    /// Allocates once, next to the context of `body`.
    ///
    /// - Returns: `false` if the queue refused `body`, as `async(_:)` of the queue does. Then `body` will not run and has been released.
    @discardableResult @inline(never)
    public func asyncBarrier(_ body: consuming sending @escaping (inout Value) -> Void) -> Bool {
        let caller = sq_swift_caller(), code = ClosureWords.code(of: body, from: caller)
        let closure = BarrierClosure.retained(self, consume body)
        return OwnedClosure.submit(closure, code, to: queue, asBarrier: true, from: caller)
    }

    /// Runs `body` alone on a thread of the pool, in its turn, and suspends the caller until its result is there, as
    /// ``ConcurrentQueue/runBarrier(_:)-(()->Result)`` does.
    ///
    /// - Throws: What `body` throws; `CancellationError`; or, if `body` did not run, a ``SerialQueueError``: `shutDown`;
    ///   `noResources`; `fromBeforeFork`.
    @_transparent
    public nonisolated(nonsending) func runBarrier<Result: ~Copyable>(
        _ body: consuming sending @escaping (inout Value) throws -> sending Result
    ) async throws -> sending Result {
        try await runBarrier(consume body, from: sq_swift_here())
    }

    @usableFromInline
    nonisolated(nonsending) func runBarrier<Result: ~Copyable>(
        _ body: consuming sending @escaping (inout Value) throws -> sending Result, from caller: UnsafeRawPointer
    ) async throws -> sending Result {
        let body = body
        return try await queue.run({ try body(&self.value) }, asBarrier: true, from: caller)
    }
}

extension BarrierIsolated: CustomReflectable where Value: ~Copyable {
    /// Shows the queue alone: to read the value here would be a race. Swift calls this for `dump`, and in a test that fails.
    public var customMirror: Mirror {
        Mirror(self, children: ["queue": queue], displayStyle: .class)
    }
}

private final class BarrierClosure<Value: Sendable & ~Copyable>: OwnedClosure {
    private let owner: BarrierIsolated<Value>
    private let body: (inout Value) -> Void

    private init(_ owner: BarrierIsolated<Value>, _ body: consuming @escaping (inout Value) -> Void) {
        self.owner = owner
        self.body = consume body
    }

    static func retained(
        _ owner: BarrierIsolated<Value>, _ body: consuming @escaping (inout Value) -> Void
    ) -> Unmanaged<OwnedClosure> {
        Unmanaged.passRetained(BarrierClosure(owner, consume body))
    }

    override func run() {
        body(&owner.value)
    }
}
