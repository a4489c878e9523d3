// QueuedCall.swift: passes a suspended caller's call through C.

import CSerialQueue
import CSerialQueueSwiftCall

/// A call that C keeps until its turn and, if the queue is full, until there is room for it. The subclass defines what happens
/// then.
///
/// The outcome for the caller is an error or `nil`. Unchecked Sendable: the memory that C uses is written before the submission,
/// and belongs to C afterwards.
class QueuedCall: Completion<(any Error)?>, @unchecked Sendable {
    enum Answer {
        /// It is in the queue.
        case accepted
        /// It waits for room; ``decided(_:)`` will be called.
        case waitsForRoom
        /// No function will be called.
        case refused(SerialQueueError)
    }

    // Allocated separately, because it must not move. `first` is the call, `second` the queue, to which a caller that withdraws the
    // call, and C when it calls back, hold a reference.
    private let task = UnsafeMutablePointer<sq_deferred_t>.allocate(capacity: 1)

    /// Called when its turn has come (`runs`), or when it was discarded.
    func turnCame(_ runs: Bool) {}

    /// Called when it has got room (`nil`), or when it never will.
    func decided(_ error: SerialQueueError?) {}

    /// Submits the call. Call it once. Retains the call twice: for ``turnCame(_:)`` and for ``decided(_:)``.
    final func submit(to queue: OpaquePointer, asBarrier isBarrier: Bool = false) -> Answer {
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
                reserved: (nil, nil, nil)
            ))
        let status = sq_async_cancellable(queue, task)
        if status == SQ_SWIFT_EINPROGRESS { return .waitsForRoom }
        retained.release()
        if status == 0 { return .accepted }
        retained.release()
        return .refused(SerialQueueError(status: status))
    }

    /// Withdraws it while it waits for room. `false`: it does not wait for room.
    final func withdrawFromLine() -> Bool {
        guard sq_async_withdraw(queue, task) else { return false }
        Unmanaged.passUnretained(self).release()
        Unmanaged.passUnretained(self).release()
        return true
    }

    /// Withdraws it from the queue before its turn; releases its room and C's reference. No effect if its turn has come, or while
    /// it waits for room.
    final func withdrawFromQueue() {
        if sq_async_cancel(queue, task) { Unmanaged.passUnretained(self).release() }
    }

    private var queue: OpaquePointer {
        OpaquePointer(task.pointee.second!)
    }

    deinit {
        task.deallocate()
    }
}

extension Completion<CInt> {
    /// Sets the outcome to 0 when everything submitted before has ended. Returns C's status; if that is not 0, there will be no
    /// outcome.
    func follow(_ queue: OpaquePointer) -> CInt {
        let retained = Unmanaged.passRetained(self)
        // A barrier: on a concurrent queue earlier closures may still run when a job begins.
        let status = sq_async_barrier_job(
            queue, { completion, _, _ in Unmanaged<Completion<CInt>>.fromOpaque(completion!).takeRetainedValue().complete(0) },
            retained.toOpaque(), nil)
        if status != 0 { retained.release() }
        return status
    }
}
