import CSerialQueue
import CSerialQueueSwiftCall

/// Why a queue did not do what it was asked for. The closure that came with the call has not run, and never will.
///
/// Of `shutdown`, `timedOut` and `deadlock` end only the waiting: the shutdown goes on.
public enum SerialQueueError: Error, Hashable, Sendable {
    /// The turn, or the end, did not come in time.
    case timedOut
    /// It would never come: the queue waits for the caller. The sentence names the queues and threads of the cycle.
    case deadlock(String)
    /// The queue has been shut down.
    case shutDown
    /// There was no memory, or no thread could be started.
    case noResources
    /// The queue is from before a `fork`; its thread is in the parent.
    case fromBeforeFork
}

extension SerialQueueError {
    /// The error for a status of the C core's, which is not 0, right after the call on the same thread.
    @usableFromInline
    init(status: CInt) {
        switch Int(status) {
        case SQ_SWIFT_ETIMEDOUT, SQ_SWIFT_EAGAIN: self = .timedOut
        case SQ_SWIFT_EDEADLK: self = .deadlock(String(cString: sq_deadlock_report()))
        case SQ_SWIFT_ESHUTDOWN: self = .shutDown
        case SQ_SWIFT_ESTALE: self = .fromBeforeFork
        default: self = .noResources
        }
    }
}

extension SerialQueueError: CustomStringConvertible {
    /// A sentence. Of a deadlock, the one that names its queues and threads.
    public var description: String {
        switch self {
        case .timedOut: "The queue did not get to it in time."
        case .deadlock(let report): report
        case .shutDown: "The queue has been shut down."
        case .noResources: "No memory, or no thread could be started."
        case .fromBeforeFork: "The queue is from before a fork. Make a new one in the child."
        }
    }
}
