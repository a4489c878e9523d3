// Traps.swift: the messages when a program ends because of a misuse.
//
// fatalError, not preconditionFailure: only fatalError prints its message in release builds. The messages are separate functions,
// so that a test can read those that it cannot provoke.

import CSerialQueue
import CSerialQueueSwiftCall

extension WorkQueue {
    /// Ends the program after a sync that did not run its closure, and so has nothing to return.
    @usableFromInline @inline(never)
    func refused(_ verb: StaticString, _ status: CInt) -> Never {
        fatalError("\(kind).\(verb): \(reason(for: status))")
    }

    /// Ends the program because a job was refused: it cannot be returned to the runtime, and its task would wait forever.
    func jobRefused(_ status: CInt) -> Never {
        fatalError("\(kind): a task's job is lost: \(jobReason(for: status))")
    }

    /// Ends the program because a drain, which reports no errors, cannot wait.
    func drainRefused(_ status: CInt) -> Never {
        fatalError("\(kind).drain: \(jobReason(for: status))")
    }

    /// Why C refused a job, as a sentence.
    func jobReason(for status: CInt) -> String {
        switch Int(status) {
        case SQ_SWIFT_ENOMEM:
            "queue \"\(label)\" has no memory for it, or its thread could not be started. Allow more threads, or use fewer queues."
        default: reason(for: status)
        }
    }

    /// Ends the program because the caller of `preconditionIsCurrent` runs elsewhere.
    func notCurrent(_ message: String, file: StaticString, line: UInt) -> Never {
        fatalError("Expected to run on queue \"\(label)\", but runs \(whereabouts(message))", file: file, line: line)
    }

    /// Ends the program because the threshold of a stall is not positive.
    func thresholdIsNotPositive(_ threshold: Duration) -> Never {
        fatalError("\(kind).onStall: queue \"\(label)\" cannot stall after \(threshold). Use a threshold above zero.")
    }

    /// The same, of all queues.
    static func thresholdIsNotPositive(_ threshold: Duration) -> Never {
        fatalError("WorkQueue.onStallOfAny: a queue cannot stall after \(threshold). Use a threshold above zero.")
    }

    /// Ends the program because the interval of a timer is not positive.
    func intervalIsNotPositive(_ interval: Duration) -> Never {
        fatalError("\(kind).makeTimer: queue \"\(label)\" cannot run something every \(interval). Use an interval above zero.")
    }

    /// Ends the program after a timer could not be made.
    func cannotMakeTimer(_ status: CInt) -> Never {
        fatalError(
            status == SQ_SWIFT_ESTALE
                ? "\(kind).makeTimer: \(reason(for: CInt(SQ_SWIFT_ESTALE)))"
                : "\(kind).makeTimer: no memory for a timer of queue \"\(label)\", or no thread could be started."
        )
    }

    /// Why C refused a sync, as a sentence.
    func reason(for status: CInt) -> String {
        switch Int(status) {
        case SQ_SWIFT_EDEADLK: String(cString: sq_deadlock_report())
        case SQ_SWIFT_ENOMEM: "no memory to wait for a turn on queue \"\(label)\"."
        case SQ_SWIFT_ESHUTDOWN: "queue \"\(label)\" has been shut down."
        case SQ_SWIFT_ESTALE: "queue \"\(label)\" is from before a fork. Make a new one in the child."
        default: "queue \"\(label)\" refused, error \(status)."
        }
    }

    private func whereabouts(_ message: String) -> String {
        let place = WorkQueue.innermost.map { "on queue \"\($0.label)\"" } ?? "on no queue"
        return message.isEmpty ? "\(place)." : "\(place): \(message)"
    }
}

/// Ends the program because a queue would run the function without its actor.
func functionIsIsolated(_ call: StaticString, to actor: any Actor) -> Never {
    fatalError("\(call): the function is isolated to \(actor), and would run without it. Pass { Task { await function() } }.")
}

/// Ends the program because the capacity of a queue is not positive.
func capacityIsNotPositive(_ kind: String, _ label: String, _ capacity: Int) -> Never {
    fatalError("\(kind) \"\(label)\": a capacity of \(capacity) leaves room for nothing. Use nil for no limit.")
}

/// Ends the program after a queue could not be made.
func cannotMakeQueue(_ kind: String, _ label: String, stackSize: Int? = nil) -> Never {
    if let stackSize, sq_swift_errno() == SQ_SWIFT_EINVAL {
        fatalError("\(kind) \"\(label)\": a thread's stack of \(stackSize) bytes is too small, or too large, for this system.")
    }
    if sq_swift_errno() == SQ_SWIFT_ESTALE {
        fatalError("\(kind) \"\(label)\": its pool is from before a fork. Make a new pool in the child.")
    }
    fatalError("\(kind) \"\(label)\": no memory for a queue.")
}

/// Ends the program because the number of threads of a pool is not positive.
func threadsAreNotPositive(_ label: String, _ threads: Int) -> Never {
    fatalError("WorkerPool \"\(label)\": with \(threads) threads nothing runs. Use nil for about one per processor.")
}

/// Ends the program because the number of threads of a pool is too large.
func threadsAreTooMany(_ label: String, _ threads: Int) -> Never {
    fatalError("WorkerPool \"\(label)\": \(threads) threads are more than a pool can have. Use nil for about one per processor.")
}

/// Ends the program after a pool could not be made.
func cannotMakePool(_ label: String, stackSize: Int?) -> Never {
    if let stackSize, sq_swift_errno() == SQ_SWIFT_EINVAL {
        fatalError("WorkerPool \"\(label)\": a thread's stack of \(stackSize) bytes is too small, or too large, for this system.")
    }
    fatalError("WorkerPool \"\(label)\": no memory for a pool, or no thread could be started.")
}

/// Ends the program because the width of a queue is not positive.
func widthIsNotPositive(_ label: String, _ width: Int) -> Never {
    fatalError("ConcurrentQueue \"\(label)\": with a width of \(width) nothing runs. Use nil for as many as the pool runs.")
}

/// Ends the program because an apply was to run a negative number of iterations.
func countIsNegative(_ count: Int) -> Never {
    fatalError("WorkerPool.apply: a count of \(count) is negative.")
}

/// Ends the child of a fork within an iteration: the other iterations are the parent's.
func applyHasForked() -> Never {
    fatalError("WorkerPool.apply: an iteration has forked. The others run in the parent only; leave the child before apply returns.")
}

/// Ends the program after a queue did not take a value.
func cannotSetValue(_ label: String, _ error: CInt) -> Never {
    let why = error == SQ_SWIFT_ESTALE ? "it is from before a fork. Make a new queue in the child" : "no memory"
    fatalError("setValue on queue \"\(label)\": \(why).")
}

/// Ends the program after a queue did not take a target.
func cannotSetTarget(_ label: String, _ target: String, _ error: CInt) -> Never {
    let why = switch Int(error) {
    case SQ_SWIFT_EINVAL: "it has a pool, or would be a target of itself"
    case SQ_SWIFT_ESTALE: "one of them is from before a fork"
    case SQ_SWIFT_ENOMEM: "no memory"
    default: "it, or a queue that has it as its target, was used before. Set the target first"
    }
    fatalError("setTarget of queue \"\(label)\" to \"\(target)\": \(why).")
}
