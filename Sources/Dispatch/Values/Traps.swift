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

/// Ends a test that waits for something that its pool will not do.
func hangs(_ call: StaticString, by missing: StaticString) -> Never {
    fatalError("\(call): nothing that is ready on the test's pool \(missing). Advance its clock, or run it, before the wait.")
}

/// Ends the program because a loop cannot have such a number of iterations.
func iterationsAreNegative(_ count: Int) -> Never {
    fatalError("DispatchQueue.concurrentPerform: \(count) iterations are less than none.")
}

/// Ends the program because a target comes too late, or would close a cycle.
func cannotSetTarget(_ why: String) -> Never {
    fatalError("setTarget: \(why)")
}

/// Ends the program because the main actor would wait for itself.
func waitsForMainOnMain() -> Never {
    fatalError("DispatchQueue.main.sync: the caller is on the main queue of Dispatch already, as the main actor is.")
}

/// Ends the program because code runs elsewhere than it expects.
func runsElsewhere(_ expected: String, file: StaticString, line: UInt) -> Never {
    fatalError("dispatchPrecondition: expected to run \(expected), but runs \(whereabouts).", file: file, line: line)
}
