// Isolation.swift: functions whose isolation is known to be none, as functions without one, and functions that the caller may share.

#if compiler(>=6.3) && compiler(<6.4) && !SERIALQUEUE_PORTABLE

/// The function as one without isolation, which it must not have.
func withoutIsolation(
    _ function: sending @escaping @isolated(any) () -> Void, _ call: StaticString
) -> sending () -> Void {
    let copy = function  // Swift 6.3 crashes when it reads the isolation of a parameter that is `sending`
    if let actor = copy.isolation { functionIsIsolated(call, to: actor) }
    return unsafeBitCast(function, to: (() -> Void).self)
}

func withoutIsolation(
    _ function: sending @escaping @isolated(any) (WorkItem) -> Void, _ call: StaticString
) -> sending (WorkItem) -> Void {
    let copy = function
    if let actor = copy.isolation { functionIsIsolated(call, to: actor) }
    return unsafeBitCast(function, to: ((WorkItem) -> Void).self)
}

/// The function as one that several threads may call: that is the caller's matter.
package func uncheckedSendable(_ function: @escaping (Int) -> Void) -> @Sendable (Int) -> Void {
    unsafeBitCast(function, to: (@Sendable (Int) -> Void).self)
}

/// A struct with a function as a struct with the same function without its isolation. Structs, because a bare function would be converted, which
/// costs an allocation.
@inlinable package func withoutIsolation<Isolated, NotIsolated>(_ function: Isolated, as kind: NotIsolated.Type) -> NotIsolated? {
    unsafeBitCast(function, to: kind)
}

#else

// A function of any isolation can only be awaited, and so be called by a task. An immediate task runs it at once: without isolation there is no
// executor to hop to.

func withoutIsolation(
    _ function: sending @escaping @isolated(any) () -> Void, _ call: StaticString
) -> sending () -> Void {
    let copy = function
    if let actor = copy.isolation { functionIsIsolated(call, to: actor) }
    nonisolated(unsafe) let function = copy
    return { runAtOnce { await function() } }
}

func withoutIsolation(
    _ function: sending @escaping @isolated(any) (WorkItem) -> Void, _ call: StaticString
) -> sending (WorkItem) -> Void {
    let copy = function
    if let actor = copy.isolation { functionIsIsolated(call, to: actor) }
    nonisolated(unsafe) let function = copy
    return { item in
        nonisolated(unsafe) let item = item
        runAtOnce { await function(item) }
    }
}

/// The function as one that several threads may call: that is the caller's matter.
package func uncheckedSendable(_ function: @escaping (Int) -> Void) -> @Sendable (Int) -> Void {
    nonisolated(unsafe) let function = function
    return { function($0) }
}

/// `nil`: the language has no such conversion.
@inlinable package func withoutIsolation<Isolated, NotIsolated>(_: Isolated, as _: NotIsolated.Type) -> NotIsolated? {
    nil
}

private func runAtOnce(_ body: sending @escaping () async -> Void) {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
        fatalError("this system cannot run a function of any isolation. Pass a closure instead.")
    }
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var hasRun = false
    Task.immediate {
        await body()
        hasRun = true
    }
    guard hasRun else { fatalError("a function without isolation was suspended: this is a bug in SerialQueue, please report it.") }
}

#endif
