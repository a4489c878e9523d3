// ManyTraps.swift: the messages when a program ends because of a misuse of a group, semaphore or once.

import CSerialQueue
import CSerialQueueSwiftCall

/// Ends the program after a wait that reports no errors has failed.
func waitRefused(_ kind: String, _ label: String, _ status: CInt) -> Never {
    fatalError("\(kind).wait: \(waitReason(kind, label, status))")
}

/// Why C refused a wait, as a sentence.
func waitReason(_ kind: String, _ label: String, _ status: CInt) -> String {
    switch Int(status) {
    case SQ_SWIFT_EDEADLK: String(cString: sq_deadlock_report())
    case SQ_SWIFT_ENOMEM: "no memory to wait for \(kind) \"\(label)\"."
    case SQ_SWIFT_ESTALE: "\(kind) \"\(label)\" is from before a fork. Make a new one in the child."
    default: "\(kind) \"\(label)\" refused, error \(status)."
    }
}

/// Ends the program because a once's closure would wait for itself, or cannot be waited for.
func onceRefused(_ status: CInt) -> Never {
    fatalError("Once.run: \(onceReason(status))")
}

/// Why C refused a once, as a sentence.
func onceReason(_ status: CInt) -> String {
    switch Int(status) {
    case SQ_SWIFT_EDEADLK: String(cString: sq_deadlock_report())
    case SQ_SWIFT_ESTALE: "a thread of the parent was inside the closure at the fork. Make a new Once in the child."
    default: "no memory to wait for the thread that is inside the closure."
    }
}

/// Ends the program because a semaphore was created with a negative number of permits.
func valueIsNegative(_ label: String, _ value: Int) -> Never {
    fatalError("Semaphore \"\(label)\": it cannot have \(value) permits. Use 0 for none.")
}

/// Ends the program because a group has too many members.
func tooManyMembers(_ label: String) -> Never {
    fatalError("WorkGroup \"\(label)\": more than 536870912 members have entered and not left. Call leave for each enter.")
}

/// Ends the program because there is no memory.
func cannotMake(_ kind: String, _ label: String) -> Never {
    fatalError("\(kind) \"\(label)\": no memory for it.")
}
