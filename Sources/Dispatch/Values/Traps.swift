// Traps.swift: the messages when a program ends where Dispatch crashes without a word.

/// Ends the program because a closure was refused, which Dispatch cannot say.
func refused(_ call: StaticString, _ label: String) -> Never {
    fatalError(
        "DispatchQueue.\(call): queue \"\(label)\" cannot take a closure: there is no memory, no thread can be started, or it is from before a fork.")
}

/// Ends the program because something was resumed that is not suspended.
func resumedTooOften(_ kind: StaticString, _ label: String) -> Never {
    fatalError("\(kind).resume: \"\(label)\" is not suspended. Call resume() once for each suspend().")
}

/// Ends the program because a group was left more often than entered.
func leftTooOften() -> Never {
    fatalError("DispatchGroup.leave: no member has entered. Call leave() once for each enter().")
}

/// Ends the program because a semaphore cannot have such a value.
func valueIsNegative(_ value: Int) -> Never {
    fatalError("DispatchSemaphore(value: \(value)): a semaphore cannot begin below 0.")
}

/// Ends the program because a loop cannot have such a number of iterations.
func iterationsAreNegative(_ count: Int) -> Never {
    fatalError("DispatchQueue.concurrentPerform: \(count) iterations are less than none.")
}

/// Ends the program because a queue would wait for itself.
func targetIsCircular(_ label: String) -> Never {
    fatalError("DispatchQueue.setTarget: queue \"\(label)\" would target itself.")
}

/// Ends the program because code runs elsewhere than it expects.
func runsElsewhere(_ expected: String, file: StaticString, line: UInt) -> Never {
    fatalError("dispatchPrecondition: expected to run \(expected), but runs \(whereabouts).", file: file, line: line)
}
