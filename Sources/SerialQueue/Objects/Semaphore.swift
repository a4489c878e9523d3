import CSerialQueue
import CSerialQueueSwiftCall

/// A number of permits that threads and tasks take and give back.
///
/// It limits how many of them do something at the same time. Waiting threads and suspended tasks share one FIFO order; nothing
/// overtakes them. In tasks use ``withPermit(_:)``, which blocks no thread.
///
/// ```swift
/// let downloads = Semaphore(label: "downloads", value: 4)
/// try await downloads.withPermit { print("one of at most four") }
/// ```
///
/// In a file that imports Foundation or Glibc, which has a type of that name, write `SerialQueue.Semaphore` for the type.
///
/// Don't use it to protect data: a ``SerialQueue`` does that, and reports deadlocks. A wait for a semaphore is never
/// reported as one, because any thread may signal.
public final class Semaphore: Sendable {
    // Sendable because every call on an sq_semaphore_t is legal from any thread while the caller holds a reference
    // (sq_semaphore.h). This object is that reference, and the pointer never changes.
    @usableFromInline nonisolated(unsafe) let semaphore: OpaquePointer

    /// Makes a semaphore with `value` permits.
    ///
    /// - Parameters:
    ///   - label: Names the semaphore in messages.
    ///   - value: How many permits it has. Traps if it is negative.
    @inline(never)
    public convenience init(label: String = "", value: Int) {
        self.init(label: label, value: value, from: sq_swift_caller())
    }

    private init(label: String, value: Int, from caller: UnsafeRawPointer) {
        guard value >= 0 else { valueIsNegative(label, value) }
        guard let semaphore = sq_semaphore_create(label, value) else { cannotMake("Semaphore", label) }
        self.semaphore = semaphore
        sq__made_by(sq_semaphore_label(semaphore), caller)
    }

    /// Legal while permits are taken, and while callers wait: they keep the C semaphore.
    deinit {
        sq_semaphore_release(semaphore)
    }

    /// The label that the semaphore was made with.
    public var label: String {
        withExtendedLifetime(self) { String(cString: sq_semaphore_label(semaphore)) }
    }
}

extension Semaphore {
    /// Takes a permit; blocks the thread until there is one.
    ///
    /// What was written before the ``signal()`` that gave the permit is visible. On a thread of a ``WorkerPool`` another thread
    /// takes over meanwhile. Not for async functions, which the compiler refuses: ``withPermit(_:)`` suspends instead.
    ///
    /// Traps if there is no memory for the wait, or if it would have to wait in the child of a `fork`.
    @available(*, noasync, message: "it blocks a thread that other tasks need: use 'try await withPermit { }'")
    @inlinable
    public func wait() {
        let status = withExtendedLifetime(self) { sq_semaphore_wait(semaphore, .max) }
        if status != 0 { refused(status) }
    }

    @usableFromInline @inline(never)
    func refused(_ status: CInt) -> Never {
        waitRefused("Semaphore", label, status)
    }

    /// As `wait()`, but with a time limit. If there is a permit, it is taken even with a limit of zero.
    ///
    /// - Throws: `timedOut`; `noResources`; `fromBeforeFork`. No permit was taken.
    public func wait(within limit: Duration) throws(SerialQueueError) {
        let status = withExtendedLifetime(self) { sq_semaphore_wait(semaphore, deadline(limit)) }
        if status != 0 { throw SerialQueueError(status: status) }
    }

    /// Takes a permit if there is one, without waiting.
    ///
    /// - Returns: `false` if there is none.
    public func tryWait() -> Bool {
        withExtendedLifetime(self) { sq_semaphore_wait(semaphore, 0) == 0 }
    }

    /// Gives a permit: to the thread or task that has waited longest, or else to the semaphore. Never blocks.
    ///
    /// - Returns: `false` if nothing was given: the semaphore has `Int.max` permits already, or this is the child of a `fork` and
    ///   threads of the parent wait.
    @inlinable @discardableResult
    public func signal() -> Bool {
        withExtendedLifetime(self) { sq_semaphore_signal(semaphore) == 0 }
    }

    /// Suspends the caller until there is a permit, runs `body` with it, gives it back, and returns the result.
    ///
    /// `body` runs where the caller runs, and may suspend. The permit is given back when it ends, whether it returns or
    /// throws. A caller that is cancelled while it waits no longer waits, and throws; a caller that has its permit runs
    /// `body`, which can check `Task.isCancelled`. So no permit is lost or given twice.
    ///
    /// - Throws: What `body` throws; `CancellationError`, if the caller was cancelled before it had a permit; or a
    ///   ``SerialQueueError``: `fromBeforeFork`. In the latter two cases `body` has not run.
    public nonisolated(nonsending) func withPermit<Result: ~Copyable>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        try await AwaitedEnd.wait(.ofSemaphore, semaphore, keeping: self)
        defer { signal() }
        return try await body()
    }
}

/// Names the type where the class SerialQueue hides the module of that name. (`SerialQueue::Semaphore` needs Swift 6.3.)
public typealias _Semaphore = Semaphore

extension SerialQueue {
    /// The type ``SerialQueue/Semaphore``, by a name that Glibc does not have.
    public typealias Semaphore = _Semaphore
}

extension Semaphore: CustomStringConvertible {
    /// The kind and the label.
    public var description: String {
        "Semaphore \"\(label)\""
    }
}
