import CSerialQueue
import CSerialQueueSwiftCall

/// Why a call failed. A closure that was passed to the call has not run, and never will.
///
/// After `timedOut` or `deadlock` from `shutdown`, only the wait has ended: the shutdown continues in the background.
public enum SerialQueueError: Error, Hashable, Sendable {
    /// The time limit passed before the wait was over.
    case timedOut
    /// The wait would never end, because the queue waits for the caller. The message names the queues and threads of the cycle.
    case deadlock(String)
    /// The queue has been shut down.
    case shutDown
    /// There was no memory, or no thread could be started.
    case noResources
    /// The queue is from before a `fork`; its thread exists only in the parent.
    case fromBeforeFork
    /// The ``WorkItem`` has not run and never will: it was cancelled, or its queue has discarded it.
    case cancelled
}

extension SerialQueueError {
    /// The error for a nonzero status of the C core. Call it right after the C function, on the same thread.
    @usableFromInline
    init(status: CInt) {
        switch Int(status) {
        case SQ_SWIFT_ETIMEDOUT, SQ_SWIFT_EAGAIN: self = .timedOut
        case SQ_SWIFT_EDEADLK: self = .deadlock(String(cString: sq_deadlock_report()))
        case SQ_SWIFT_ESHUTDOWN: self = .shutDown
        case SQ_SWIFT_ESTALE: self = .fromBeforeFork
        case SQ_SWIFT_ECANCELED: self = .cancelled
        default: self = .noResources
        }
    }
}

extension SerialQueueError: CustomStringConvertible {
    /// A message. For a deadlock, it names the queues and threads of the cycle.
    public var description: String {
        switch self {
        case .timedOut: "The queue did not get to it in time."
        case .deadlock(let report): report
        case .shutDown: "The queue has been shut down."
        case .noResources: "No memory, or no thread could be started."
        case .fromBeforeFork: "The queue is from before a fork. Make a new one in the child."
        case .cancelled: "The work item was cancelled or discarded. It will not run."
        }
    }
}
