// Traps.swift: what is said before the program ends because of a misuse.
//
// fatalError, not preconditionFailure: only the former prints its sentence in release builds too.

import CSerialQueue
import CSerialQueueSwiftCall

extension SerialQueue {
    /// Ends the program after a sync that never ran its closure, so that there is nothing to return.
    @usableFromInline @inline(never)
    func refused(_ verb: StaticString, _ status: CInt) -> Never {
        switch Int(status) {
        case SQ_SWIFT_EDEADLK:
            fatalError("SerialQueue.\(verb): \(String(cString: sq_deadlock_report()))")
        case SQ_SWIFT_ENOMEM:
            fatalError("SerialQueue.\(verb): no memory to wait for a turn on queue \"\(label)\".")
        default:
            fatalError("SerialQueue.\(verb): queue \"\(label)\" refused, error \(status).")
        }
    }
}

/// Ends the program after a queue could not be made.
func cannotMakeQueue(_ label: String, stackSize: Int?) -> Never {
    if let stackSize, sq_swift_errno() == SQ_SWIFT_EINVAL {
        fatalError("SerialQueue \"\(label)\": \(stackSize) bytes are too small for a thread's stack on this system.")
    }
    fatalError("SerialQueue \"\(label)\": no memory for a queue.")
}

extension SerialQueue {
    /// Ends the program because the caller of `preconditionIsCurrent` runs elsewhere.
    func notCurrent(_ message: String, file: StaticString, line: UInt) -> Never {
        let place = SerialQueue.current.map { "on queue \"\($0.label)\"" } ?? "on no queue"
        let detail = message.isEmpty ? "" : ": \(message)"
        fatalError("Expected to run on queue \"\(label)\", but runs \(place)\(detail)", file: file, line: line)
    }
}
