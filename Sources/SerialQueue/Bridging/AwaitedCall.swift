// AwaitedCall.swift: the closures of suspended callers, through C, from their submission to their end.

import CSerialQueue
import CSerialQueue.Private
import CSerialQueueSwiftCall
import Synchronization

/// A call that C keeps until its turn and, if the queue is full, until there is room for it. The outcome for the caller is an error or `nil`.
///
/// C decides between a turn, a discarding and a withdrawal. The side that wins has the closure, and completes the call.
/// Unchecked Sendable: the memory that C uses is written before the submission, and belongs to C afterwards.
class QueuedCall: Completion<(any Error)?>, @unchecked Sendable {
    enum Answer {
        case accepted
        /// ``decided(_:)`` will be called.
        case waitsForRoom
        /// No function will be called.
        case refused(SerialQueueError)
    }

    // Allocated separately, because C keeps its address, and Swift promises none for a field of an object. `first` is the call, `second` the
    // queue, to which a caller that withdraws the call, and C when it calls back, hold a reference.
    private let task = UnsafeMutablePointer<sq_deferred_t>.allocate(capacity: 1)

    /// Whether the caller was cancelled before it was resumed.
    var callerIsCancelled: Bool { false }

    /// Called when its turn has come (`runs`), or when it was discarded.
    func turnCame(_ runs: Bool) {}

    /// Called when it has got room (`nil`), or when it never will: perhaps in the cancellation handler of another caller, so it runs no user code.
    func decided(_ error: SerialQueueError?) {}

    /// Submits the call. Call it once. Retains the call twice: for ``turnCame(_:)`` and for ``decided(_:)``.
    final func submit(to queue: OpaquePointer, asBarrier isBarrier: Bool = false, from caller: UnsafeRawPointer) -> Answer {
        let retained = Unmanaged.passRetained(self).retain()
        task.initialize(
            to: sq_deferred_t(
                call: { call, _, runs in Unmanaged<QueuedCall>.fromOpaque(call!).takeRetainedValue().turnCame(runs) },
                first: retained.toOpaque(),
                second: UnsafeMutableRawPointer(queue),
                decided: { task, error in
                    let call = Unmanaged<QueuedCall>.fromOpaque(task.pointee.first!)
                    if error != 0 { call.release() }
                    call.takeRetainedValue().decided(error == 0 ? nil : SerialQueueError(status: error))
                },
                is_barrier: isBarrier,
                reserved: (nil, nil, nil, nil)
            ))
        let status = sq__async_cancellable(queue, task, caller)
        if status == SQ_SWIFT_EINPROGRESS { return .waitsForRoom }
        retained.release()
        if status == 0 { return .accepted }
        retained.release()
        return .refused(SerialQueueError(status: status))
    }

    /// Withdraws it while it waits for room. `false`: it does not wait for room. If `true`, no function will be called.
    final func withdrawFromLine() -> Bool {
        guard sq_async_withdraw(queue, task) else { return false }
        Unmanaged.passUnretained(self).release()
        Unmanaged.passUnretained(self).release()
        return true
    }

    /// Withdraws it from the queue before its turn. `false`: its turn has come, or it waits for room. If `true`, ``turnCame(_:)`` will not
    /// be called.
    final func withdrawFromQueue() -> Bool {
        guard sq_async_cancel(queue, task) else { return false }
        Unmanaged.passUnretained(self).release()
        return true
    }

    private var queue: OpaquePointer {
        OpaquePointer(task.pointee.second!)
    }

    deinit {
        task.deallocate()
    }
}

/// A closure that runs on a queue while its caller is suspended.
///
/// Unchecked Sendable: closure and result belong to the turn, and to the caller before the submission and after the outcome.
final class AwaitedCall<Result: ~Copyable>: QueuedCall, @unchecked Sendable {
    /// The closure; one that asks gets the call in its context.
    private enum Body {
        case plain(() throws -> sending Result)
        case asks((WorkQueue.RunContext) throws -> sending Result)
    }

    private var body: Body?
    private let isCancelled = Atomic(false)  // here it takes no room of its own
    private var result: Swift.Result<Result, any Error>?

    /// Consuming, like every function that passes the closure on: a borrower would keep it alive until the call returns.
    init(_ body: consuming sending @escaping () throws -> sending Result) {
        self.body = .plain(consume body)
    }

    init(asking body: consuming sending @escaping (WorkQueue.RunContext) throws -> sending Result) {
        self.body = .asks(consume body)
    }

    /// Submits the call, waits for its end and returns its result. Call it once. If it throws, the body has been released.
    nonisolated(nonsending) func result(
        on queue: WorkQueue, asBarrier isBarrier: Bool, from caller: UnsafeRawPointer
    ) async throws -> sending Result {
        try Task.checkCancellation()
        // Before a cancellation can withdraw it.
        if case .refused(let error) = submit(to: queue.queue, asBarrier: isBarrier, from: caller) {
            body = nil
            throw error
        }
        let error = await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            cancel()
        }
        if let error {
            body = nil
            throw error
        }
        // The writer of the result does not access it again.
        nonisolated(unsafe) let result = result.take()!
        return try result.get()
    }

    /// Withdraws it from the waiters for room, or from the queue. No effect if its turn has come. Runs no user code: a cancellation handler
    /// runs under a lock of the runtime, and the body's captures may have a `deinit`. The caller releases the body.
    private func cancel() {
        // Relaxed is also enough for `decided`: the C calls that follow take the lock under which it was decided.
        isCancelled.store(true, ordering: .relaxed)
        if withdrawFromLine() || withdrawFromQueue() { complete(CancellationError()) }
    }

    /// The body has been released when the caller is resumed.
    override func turnCame(_ runs: Bool) {
        run(body.take()!, runs)
        complete(runs ? nil : SerialQueueError.shutDown)
    }

    // Relaxed: it orders nothing else.
    override var callerIsCancelled: Bool { isCancelled.load(ordering: .relaxed) }

    private func run(_ body: consuming Body, _ runs: Bool) {
        guard runs else { return }
        switch consume body {
        case .plain(let body): result = Swift.Result(catching: body)
        case .asks(let body): result = Swift.Result { try body(WorkQueue.RunContext(call: self)) }
        }
    }

    override func decided(_ error: SerialQueueError?) {
        if let error {
            complete(error)
        } else if isCancelled.load(ordering: .relaxed), withdrawFromQueue() {
            complete(CancellationError())  // it was cancelled while it was being submitted
        }
    }
}

/// A closure whose caller is suspended until there is room for it.
///
/// Unchecked Sendable: the closure belongs to the turn; to the caller before the submission, and if there will be no turn.
final class SubmittedCall: QueuedCall, @unchecked Sendable {
    private var body: (() -> Void)?

    init(_ body: consuming sending @escaping () -> Void) {
        self.body = consume body
    }

    /// Submits the call and waits until it has room. Call it once. If it throws, the body has been released.
    nonisolated(nonsending) func accepted(by queue: WorkQueue, from caller: UnsafeRawPointer) async throws {
        try Task.checkCancellation()
        var error: (any Error)?
        switch submit(to: queue.queue, from: caller) {
        case .accepted: return
        case .refused(let refusal): error = refusal
        case .waitsForRoom:
            error = await withTaskCancellationHandler {
                await wait()
            } onCancel: {
                cancel()
            }
        }
        guard let error else { return }  // the body belongs to its turn, which may have come
        body = nil
        throw error
    }

    /// No effect if it has got room. Runs no user code.
    private func cancel() {
        if withdrawFromLine() { complete(CancellationError()) }
    }

    override func turnCame(_ runs: Bool) {
        let body = body.take()!
        if runs { body() }
    }

    override func decided(_ error: SerialQueueError?) {
        complete(error)
    }
}
