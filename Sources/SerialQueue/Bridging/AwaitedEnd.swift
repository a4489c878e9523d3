// AwaitedEnd.swift: suspended callers that wait for a semaphore, a group, an item or the end of a queue, through C and back.

import CSerialQueue
import CSerialQueue.Private
import CSerialQueueSwiftCall

/// A suspended caller that waits for a semaphore, a group or an item (sq_await.h), or for the end of a queue.
///
/// The outcome is `true`, or `false` after a withdrawal. Unchecked Sendable: the memory that C uses is written before C gets it.
final class AwaitedEnd: Completion<Bool>, @unchecked Sendable {
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

    /// Returns when the wait has ended. Throws if the caller is cancelled first.
    nonisolated(nonsending) static func wait(
        _ calls: Calls, _ object: OpaquePointer, keeping keeper: AnyObject & Sendable
    ) async throws {
        try Task.checkCancellation()
        if let wait = calls.wait, isEnd(wait(object, 0)) { return }  // nothing to wait for, so allocate nothing
        let end = AwaitedEnd(calls, object, keeper)
        let status = end.begin()  // before a cancellation can withdraw it
        if isEnd(status) { return }
        guard status == SQ_SWIFT_EINPROGRESS else { throw SerialQueueError(status: status) }
        let hasEnded = await withTaskCancellationHandler {
            await end.wait()
        } onCancel: {
            end.withdraw()
        }
        if !hasEnded { throw CancellationError() }
    }

    /// The same with a time limit, on the real clock. Returns C's status, ETIMEDOUT after the limit. A cancellation has no effect.
    nonisolated(nonsending) static func wait(
        _ calls: Calls, _ object: OpaquePointer, keeping keeper: AnyObject & Sendable, within limit: Duration?
    ) async -> CInt {
        let end = AwaitedEnd(calls, object, keeper)
        let status = end.begin()
        guard status == SQ_SWIFT_EINPROGRESS else { return status }
        let timer = limit.map { timeouts.makeTimer(every: $0) { end.withdraw() } }
        let hasEnded = await end.wait()
        timer?.cancel()
        return hasEnded ? 0 : CInt(SQ_SWIFT_ETIMEDOUT)
    }

    private static let timeouts = SerialQueue(label: "deadlines of awaited ends", on: .shared)

    /// ECANCELED is an item's other outcome.
    private static func isEnd(_ status: CInt) -> Bool {
        status == 0 || status == SQ_SWIFT_ECANCELED
    }

    /// Returns C's status. If that is not EINPROGRESS, there will be no outcome.
    private func begin() -> CInt {
        memory.initialize(
            to: sq_await_t(
                ended: { Unmanaged<AwaitedEnd>.fromOpaque($0.pointee.context!).takeRetainedValue().complete(true) },
                context: Unmanaged.passRetained(self).toOpaque(),
                reserved: sq_await_entry_t()
            ))
        let status = calls.await(object, memory)
        if status != SQ_SWIFT_EINPROGRESS { Unmanaged.passUnretained(self).release() }
        return status
    }

    /// No effect if the wait has ended. Runs no user code.
    private func withdraw() {
        guard calls.withdraw(object, memory) else { return }
        Unmanaged.passUnretained(self).release()
        complete(false)
    }
}
