// QueuedCall.swift: what an async caller waits for, through C and back.

import CSerialQueue
import CSerialQueueSwiftCall

/// A call that C keeps until its turn comes and, where the queue is full, until there is room for it. The subclass decides what
/// happens then.
///
/// The outcome for the caller is an error, or `nil`. Unchecked Sendable: the memory that C uses is written before it is
/// submitted, and belongs to C from then on.
class QueuedCall: Completion<(any Error)?>, @unchecked Sendable {
    enum Answer {
        /// It is in the queue.
        case accepted
        /// It waits in line for room; ``decided(_:)`` will be called.
        case waitsForRoom
        /// Nothing will be called.
        case refused(SerialQueueError)
    }

    // Memory of its own, because it must not move. `first` is the call, `second` the queue: a caller that withdraws it, and C when
    // it calls back, hold a reference to that.
    private let task = UnsafeMutablePointer<sq_deferred_t>.allocate(capacity: 1)

    /// Its turn has come, or it has been discarded.
    func turnCame(_ runs: Bool) {}

    /// Room for it has been found (`nil`) or never will be.
    func decided(_ error: SerialQueueError?) {}

    /// To be called once. Retains the call twice: for its turn, and for the decision whether it gets one.
    final func submit(to queue: OpaquePointer) -> Answer {
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
                reserved: (nil, nil, nil)
            ))
        let status = sq_async_cancellable(queue, task)
        if status == SQ_SWIFT_EINPROGRESS { return .waitsForRoom }
        retained.release()
        if status == 0 { return .accepted }
        retained.release()
        return .refused(SerialQueueError(status: status))
    }

    /// Stops waiting for room. `false`: it does not wait for room.
    final func withdrawFromLine() -> Bool {
        guard sq_async_withdraw(queue, task) else { return false }
        Unmanaged.passUnretained(self).release()
        Unmanaged.passUnretained(self).release()
        return true
    }

    /// Withdraws it before its turn: depth, room and C's reference are released. Does nothing if its turn has come, or while it
    /// waits for room.
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
    /// The outcome is 0, when everything before it has ended. Returns C's status; if that is not 0, there will be no outcome.
    func follow(_ queue: OpaquePointer) -> CInt {
        let retained = Unmanaged.passRetained(self)
        let status = sq_async_job(
            queue, { completion, _, _ in Unmanaged<Completion<CInt>>.fromOpaque(completion!).takeRetainedValue().tell(0) },
            retained.toOpaque(), nil)
        if status != 0 { retained.release() }
        return status
    }
}
