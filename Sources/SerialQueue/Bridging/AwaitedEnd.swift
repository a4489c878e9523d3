// AwaitedEnd.swift: suspended callers that wait for a semaphore, a group, an item or the end of a queue, through C and back.

import CSerialQueue
import CSerialQueue.Private
import CSerialQueueSwiftCall

/// A suspended caller that waits for a semaphore, a group or an item (sq_await.h), or for the end of a queue.
///
/// Of the end, the time limit and a cancellation the first one decides the outcome: C lets one side withdraw the wait, or none after the end.
/// Unchecked Sendable: the memory that C uses is written before C gets it.
final class AwaitedEnd: Completion<AwaitedEnd.Outcome>, @unchecked Sendable {
    enum Outcome {
        case ended
        case timedOut
        case cancelled
    }

    /// The C functions for one kind of object.
    struct Calls: Sendable {
        /// `nil`: the caller has looked already whether there is something to wait for.
        let wait: (@convention(c) (OpaquePointer, sq_time_t) -> CInt)?
        let await: @convention(c) (OpaquePointer, UnsafeMutablePointer<sq_await_t>) -> CInt
        let withdraw: @convention(c) (OpaquePointer, UnsafeMutablePointer<sq_await_t>) -> Bool

        static let ofSemaphore = Calls(wait: sq_semaphore_wait, await: sq_semaphore_await, withdraw: sq_semaphore_withdraw)
        static let ofGroup = Calls(wait: sq_group_wait, await: sq_group_await, withdraw: sq_group_withdraw)
        static let ofItem = Calls(wait: sq_item_wait, await: sq_item_await, withdraw: sq_item_withdraw)
        static let ofQueue = Calls(wait: nil, await: sq__end_await, withdraw: sq__end_withdraw)
    }

    private let calls: Calls
    private nonisolated(unsafe) let object: OpaquePointer
    /// Holds the reference to `object`.
    private let keeper: AnyObject & Sendable
    // Allocated separately, because it must not move. `context` is this object; C holds a reference to it until the end.
    private nonisolated(unsafe) let memory = UnsafeMutablePointer<sq_await_t>.allocate(capacity: 1)

    private init(_ calls: Calls, _ object: OpaquePointer, _ keeper: AnyObject & Sendable) {
        self.calls = calls
        self.object = object
        self.keeper = keeper
    }

    deinit {
        memory.deallocate()
    }

    /// Returns when the wait has ended. Throws `CancellationError` if the caller is cancelled first, and a ``SerialQueueError``: `timedOut`, after
    /// the limit, on the real clock; or what C refuses with. Then the object is as it was before.
    nonisolated(nonsending) static func wait(
        _ calls: Calls, _ object: OpaquePointer, keeping keeper: AnyObject & Sendable, within limit: Duration? = nil
    ) async throws {
        try Task.checkCancellation()
        if let wait = calls.wait, isEnd(wait(object, 0)) { return }  // nothing to wait for, so allocate nothing
        let end = AwaitedEnd(calls, object, keeper)
        let status = end.begin()  // before a cancellation can withdraw it
        if isEnd(status) { return }
        guard status == SQ_SWIFT_EINPROGRESS else { throw SerialQueueError(status: status) }
        let outcome = await withTaskCancellationHandler {
            await end.outcome(within: limit)
        } onCancel: {
            end.withdraw(.cancelled)
        }
        switch outcome {
        case .ended: return
        case .timedOut: throw SerialQueueError.timedOut
        case .cancelled: throw CancellationError()
        }
    }

    /// The same, but a cancellation has no effect. Returns C's status, ETIMEDOUT after the limit.
    nonisolated(nonsending) static func waitUncancelled(
        _ calls: Calls, _ object: OpaquePointer, keeping keeper: AnyObject & Sendable, within limit: Duration?
    ) async -> CInt {
        let end = AwaitedEnd(calls, object, keeper)
        let status = end.begin()
        guard status == SQ_SWIFT_EINPROGRESS else { return status }
        return await end.outcome(within: limit) == .ended ? 0 : CInt(SQ_SWIFT_ETIMEDOUT)
    }

    private nonisolated(nonsending) func outcome(within limit: Duration?) async -> Outcome {
        guard let limit else { return await wait() }
        guard limit > .zero else {
            withdraw(.timedOut)
            return await wait()
        }
        let timer = Self.deadlines.makeTimer(every: limit) { self.withdraw(.timedOut) }
        defer { timer.cancel() }
        return await wait()
    }

    /// Without a pool: the child of a `fork` may make it, where the shared pool is the parent's.
    private static let timeouts = SerialQueue(label: "deadlines of awaited ends")

    /// In the child of a `fork` that has the parent's, a queue for this wait alone. The resume changes nothing, as the queue is never suspended: it asks
    /// whether the queue is the parent's.
    private static var deadlines: SerialQueue {
        sq_resume(timeouts.queue) == SQ_SWIFT_ESTALE ? SerialQueue(label: timeouts.label) : timeouts
    }

    /// ECANCELED is an item's other outcome.
    private static func isEnd(_ status: CInt) -> Bool {
        status == 0 || status == SQ_SWIFT_ECANCELED
    }

    /// Returns C's status. If that is not EINPROGRESS, there will be no outcome.
    private func begin() -> CInt {
        memory.initialize(
            to: sq_await_t(
                ended: { Unmanaged<AwaitedEnd>.fromOpaque($0.pointee.context!).takeRetainedValue().complete(.ended) },
                context: Unmanaged.passRetained(self).toOpaque(),
                reserved: sq_await_entry_t()
            ))
        let status = calls.await(object, memory)
        if status != SQ_SWIFT_EINPROGRESS { Unmanaged.passUnretained(self).release() }
        return status
    }

    /// No effect if the wait has ended or was withdrawn. Runs no user code.
    private func withdraw(_ outcome: Outcome) {
        guard calls.withdraw(object, memory) else { return }
        Unmanaged.passUnretained(self).release()
        complete(outcome)
    }
}
