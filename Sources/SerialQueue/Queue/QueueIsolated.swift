import CSerialQueueSwiftCall

/// A value that belongs to a serial queue: only the closures that it is passed to can access it, and they run on the queue.
///
/// ```swift
/// let words = QueueIsolated([String](), on: SerialQueue(label: "com.example.words"))
/// words.async { $0.append("one") }
/// print(words.sync { $0.count })
/// ```
///
/// The compiler refuses access without the queue, and a closure that keeps a part of the value elsewhere, or leaves something in it that
/// others still use. Each call is the queue's call of the same name: its closures share one FIFO order with all others of the queue.
///
/// What ``async(_:)`` and ``run(_:)`` capture moves to the queue, so it can become a part of the value. ``sync(_:)`` borrows its captures: a
/// value that is not `Sendable` cannot be changed to refer to them. Its result must be `Sendable`, because Swift 6.3 accepts a closure that returns
/// an `inout sending` value itself. Don't pass an actor's method by name: <doc:FunctionsOfActors>.
///
/// Don't use this for a value that is read often, for long, by several threads at a time: ``BarrierIsolated``. Don't use it for work that
/// suspends: use an actor on the queue.
public final class QueueIsolated<Value: ~Copyable>: @unchecked Sendable {
    // Sendable because a serial queue runs its closures one at a time, and each sees what the earlier ones wrote (sq_sync.h, sq_async.h).
    // Two closures of this object cannot be nested either: a sync from the queue's own closure is refused.

    /// The queue that the closures run on.
    public let queue: SerialQueue

    /// Without the dynamic check for exclusive access: the queue excludes.
    @exclusivity(unchecked) @usableFromInline final var value: Value

    /// Makes a value that belongs to `queue`. A queue may have several.
    public init(_ value: consuming sending Value, on queue: SerialQueue) {
        self.queue = queue
        self.value = value
    }
}

extension QueueIsolated where Value: ~Copyable {
    /// Waits for everything submitted to the queue before, runs `body` on the calling thread, and returns its result, as
    /// ``WorkQueue/sync(_:)`` does. Nothing is allocated.
    ///
    /// - Precondition: As for ``WorkQueue/sync(_:)``: the caller is not on the queue.
    /// - Throws: What `body` throws.
    @_transparent
    public func sync<Result: Sendable & ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var outcome: Swift.Result<Result, Failure>?
        // Not queue.sync: a closure in its closure would be one more call.
        let status = borrowedSync(queue.queue) {
            outcome = Swift.Result { () throws(Failure) -> Result in try body(&value) }
        }
        // `body` may drop the last other reference to this object, and C wants the queue to last for the whole call.
        withExtendedLifetime(self) {}
        return try queue.finish("sync", status, outcome.take())
    }

    /// Runs `body` like ``sync(_:)``, but waits for its turn at most for `limit`; after that, `body` never runs.
    ///
    /// - Throws: What `body` throws, or a ``SerialQueueError``, as ``WorkQueue/sync(within:_:)`` does.
    @_transparent
    public func sync<Result: Sendable & ~Copyable>(
        within limit: Duration, _ body: (inout sending Value) throws -> Result
    ) throws -> Result {
        try queue.sync(within: limit) { try body(&value) }
    }

    /// Runs `body` if the queue is free, without waiting.
    ///
    /// - Returns: The result; `nil` if the queue is busy (also with a closure of the caller), suspended, shut down or from before a
    ///   `fork`. Then `body` has not run.
    /// - Throws: What `body` throws.
    @_transparent
    public func trySync<Result: Sendable & ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try queue.trySync { () throws(Failure) -> Result in try body(&value) }
    }

    /// Submits `body` to run on the queue's thread, after everything submitted before, and returns immediately.
    ///
    /// Allocates once, next to the context of `body`.
    ///
    /// - Returns: `false` if the queue refused `body`, as `async(_:)` of the queue does. Then `body` will not run and has been released.
    @discardableResult @inline(never)
    public func async(_ body: consuming sending @escaping (inout Value) -> Void) -> Bool {
        let caller = sq_swift_caller(), code = ClosureWords.code(of: body, from: caller)
        let closure = IsolatedClosure.retained(self, consume body)
        return OwnedClosure.submit(closure, code, to: queue, from: caller)
    }

    /// Submits `body` to the queue when `delay` has passed, as ``WorkQueue/asyncAfter(_:_:)-(_,()->Void)`` does.
    ///
    /// - Returns: `false` if the queue refused `body`. Then `body` will not run and has been released.
    @discardableResult @inline(never)
    public func asyncAfter(_ delay: Duration, _ body: consuming sending @escaping (inout Value) -> Void) -> Bool {
        let body = body
        return queue.asyncAfter(delay, { body(&self.value) }, from: sq_swift_caller())
    }
}

extension QueueIsolated where Value: ~Copyable {
    /// Runs `body` in its turn on the queue's thread, and suspends the caller until its result is there, as ``WorkQueue/run(_:)-(()->Result)`` does.
    ///
    /// If the caller is cancelled before the turn, the call throws `CancellationError` immediately, and `body` never runs.
    ///
    /// - Throws: What `body` throws; `CancellationError`; or, if `body` did not run, a ``SerialQueueError``: `shutDown`;
    ///   `noResources`; `fromBeforeFork`.
    @_transparent
    public nonisolated(nonsending) func run<Result: ~Copyable>(
        _ body: consuming sending @escaping (inout Value) throws -> sending Result
    ) async throws -> sending Result {
        try await run(consume body, from: sq_swift_here())
    }

    @usableFromInline
    nonisolated(nonsending) func run<Result: ~Copyable>(
        _ body: consuming sending @escaping (inout Value) throws -> sending Result, from caller: UnsafeRawPointer
    ) async throws -> sending Result {
        let body = body
        return try await queue.run({ try body(&self.value) }, asBarrier: false, from: caller)
    }

    /// Makes a timer whose `body` gets the value: ``WorkQueue/makeTimer(_:)``. It does not fire before it is started.
    @inline(never)
    public func makeTimer(_ body: consuming sending @escaping (inout Value) -> Void) -> WorkQueue.Timer {
        let body = body
        return queue.makeTimer({ body(&self.value) }, from: sq_swift_caller())
    }
}

extension QueueIsolated: CustomReflectable where Value: ~Copyable {
    /// Shows the queue alone: to read the value here would be a race. Swift calls this for `dump`, and in a test that fails.
    public var customMirror: Mirror {
        Mirror(self, children: ["queue": queue], displayStyle: .class)
    }
}

/// What waits in the queue: the owner and a closure are three words, and a queue keeps two of a task. Made by an inlined closure around `body`
/// it would be an allocation, too: Swift 6.3 does not merge the contexts of the two.
private final class IsolatedClosure<Value: ~Copyable>: OwnedClosure {
    private let owner: QueueIsolated<Value>
    private let body: (inout Value) -> Void

    private init(_ owner: QueueIsolated<Value>, _ body: consuming @escaping (inout Value) -> Void) {
        self.owner = owner
        self.body = consume body
    }

    static func retained(
        _ owner: QueueIsolated<Value>, _ body: consuming @escaping (inout Value) -> Void
    ) -> Unmanaged<OwnedClosure> {
        Unmanaged.passRetained(IsolatedClosure(owner, consume body))
    }

    override func run() {
        body(&owner.value)
    }
}
