// QueuedCall.swift: the way of what an async caller waits for through C and back.

import CSerialQueue
import CSerialQueueSwiftCall

/// A call that C keeps until its turn comes and, where the queue is full, until there is room for it: what those two mean
/// is the subclass's business.
///
/// The news for the caller are an error, or `nil`. Unchecked Sendable: the memory that C uses is written before it is
/// submitted, and C's from then on.
class QueuedCall: News<(any Error)?>, @unchecked Sendable {
    enum Answer {
        /// It has its place.
        case accepted
        /// It stands in line for room; ``decided(_:)`` will be called.
        case waitsForRoom
        /// Nothing will be called.
        case refused(SerialQueueError)
    }

    // Memory of its own, for C wants it to lie still.
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
                second: nil,
                decided: { task, error in
                    let call = Unmanaged<QueuedCall>.fromOpaque(task.pointee.first!)
                    if error != 0 { call.release() }
                    call.takeRetainedValue().decided(error == 0 ? nil : SerialQueueError(status: error))
                },
                reserved: (nil, nil, nil)
            ))
        let status = sq_async_deferred(queue, task)
        if status == SQ_SWIFT_EINPROGRESS { return .waitsForRoom }
        retained.release()
        if status == 0 { return .accepted }
        retained.release()
        return .refused(SerialQueueError(status: status))
    }

    /// Steps out of the line for room. `false`: it stands in none.
    final func stepOutOfLine(of queue: OpaquePointer) -> Bool {
        guard sq_async_withdraw(queue, task) else { return false }
        Unmanaged.passUnretained(self).release()
        Unmanaged.passUnretained(self).release()
        return true
    }

    deinit {
        task.deallocate()
    }
}

extension News<CInt> {
    /// Told 0 when everything before it has ended. Returns C's status; if that is not 0, nothing will be told.
    func follow(_ queue: OpaquePointer) -> CInt {
        let retained = Unmanaged.passRetained(self)
        let status = sq_async_job(
            queue, { news, _, _ in Unmanaged<News<CInt>>.fromOpaque(news!).takeRetainedValue().tell(0) },
            retained.toOpaque(), nil)
        if status != 0 { retained.release() }
        return status
    }
}
