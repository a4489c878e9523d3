// LoopTraps.swift: the messages when a program ends because of a misuse of a loop pool.

import CSerialQueue
import CSerialQueueSwiftCall

/// Ends the program after a loop pool could not be made.
func cannotMakeLoop(_ label: String) -> Never {
    fatalError("LoopPool \"\(label)\": \(String(cString: sq_error_text(sq_swift_errno()))).")
}

/// Ends the program because a concurrent queue was to be made on a loop pool.
func loopIsSerial(_ label: String) -> Never {
    fatalError("ConcurrentQueue \"\(label)\": queues on a LoopPool are serial. Use a SerialQueue, or another pool.")
}

/// Ends the program after a call of a loop pool was refused.
func cannotRunLoop(_ verb: StaticString, _ status: CInt) -> Never {
    switch Int(status) {
    case SQ_SWIFT_EPERM:
        fatalError("LoopPool.\(verb): another thread owns the pool. Run a pool on one thread only.")
    case SQ_SWIFT_EINVAL:
        fatalError("LoopPool.\(verb): it was asked to run at most 0 closures. Use a positive number, or nil for no limit.")
    default:
        fatalError("LoopPool.\(verb): \(String(cString: sq_error_text(status))).")
    }
}
