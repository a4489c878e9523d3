// IsolatedFunctions.swift: calls that refuse functions which are isolated to a global actor.
//
// A queue's closure runs without its submitter's isolation. For a closure in braces the compiler checks that. But where a global
// actor's code passes a *function* of that actor, by name or in a variable, Swift 6.3 drops the isolation without a diagnostic,
// although the parameter is `sending` (swift#79836): the function would run without the actor.
//
// Each call here overloads one that takes the same, except for `@isolated(any)`. An isolated function fits both equally well, so the
// compiler refuses it as ambiguous. A closure in braces, or a function without isolation, fits the other call better. So only an
// `@isolated(any)` function ever gets here, and its isolation can be read.
//
// A method of an actor that is no global one, by name, is accepted by every signature, also by `@Sendable` (swift#86801):
// FunctionsOfActors.md says so. Async closures need none of this: a global actor's function keeps its isolation in an async one.
//
// They are not in the documentation's catalogue: every link to the other calls would be ambiguous.

import CSerialQueueSwiftCall

extension WorkQueue {
    /// Submits a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @discardableResult @inline(never)
    public func async(
        _ isolatedFunction: sending @escaping @isolated(any) () -> Void
    ) -> Bool {
        async(withoutIsolation(isolatedFunction, "WorkQueue.async"), from: sq_swift_caller())
    }

    /// Submits a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @inline(never)
    public func async(
        waitingUpTo limit: Duration,
        _ isolatedFunction: sending @escaping @isolated(any) () -> Void
    ) throws(SerialQueueError) {
        try async(waitingUpTo: limit, withoutIsolation(isolatedFunction, "WorkQueue.async"), from: sq_swift_caller())
    }

    /// Submits a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @discardableResult @inline(never)
    public func async(
        in group: WorkGroup, _ isolatedFunction: sending @escaping @isolated(any) () -> Void
    ) -> Bool {
        async(in: group, withoutIsolation(isolatedFunction, "WorkQueue.async"), from: sq_swift_caller())
    }

    /// Submits a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @discardableResult @inline(never)
    public func asyncAfter(
        _ delay: Duration, _ isolatedFunction: sending @escaping @isolated(any) () -> Void
    ) -> Bool {
        asyncAfter(delay, withoutIsolation(isolatedFunction, "WorkQueue.asyncAfter"), from: sq_swift_caller())
    }

    /// Submits a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @_transparent
    public nonisolated(nonsending) func submit(_ isolatedFunction: sending @escaping @isolated(any) () -> Void) async throws {
        try await submit(isolatedFunction: isolatedFunction, from: sq_swift_here())
    }

    @usableFromInline
    nonisolated(nonsending) func submit(
        isolatedFunction: sending @escaping @isolated(any) () -> Void, from caller: UnsafeRawPointer
    ) async throws {
        try await submit(withoutIsolation(isolatedFunction, "WorkQueue.submit"), from: caller)
    }

    /// Makes a timer for a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @inline(never)
    public func makeTimer(
        every interval: Duration,
        leeway: Duration = .zero,
        _ isolatedFunction: sending @escaping @isolated(any) () -> Void
    ) -> Timer {
        makeTimer(every: interval, leeway: leeway, withoutIsolation(isolatedFunction, "WorkQueue.makeTimer"), from: sq_swift_caller())
    }

    /// Makes a timer for a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @inline(never)
    public func makeTimer(_ isolatedFunction: sending @escaping @isolated(any) () -> Void) -> Timer {
        makeTimer(withoutIsolation(isolatedFunction, "WorkQueue.makeTimer"), from: sq_swift_caller())
    }
}

extension WorkQueue.Timer {
    /// Submits a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @discardableResult @inline(never)
    public func cancel(then isolatedFunction: sending @escaping @isolated(any) () -> Void) -> Bool {
        cancel(then: withoutIsolation(isolatedFunction, "WorkQueue.Timer.cancel"), from: sq_swift_caller())
    }
}

extension ConcurrentQueue {
    /// Submits a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @discardableResult @inline(never)
    public func asyncBarrier(
        _ isolatedFunction: sending @escaping @isolated(any) () -> Void
    ) -> Bool {
        asyncBarrier(withoutIsolation(isolatedFunction, "ConcurrentQueue.asyncBarrier"), from: sq_swift_caller())
    }

    /// Submits a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @discardableResult @inline(never)
    public func asyncBarrier(
        in group: WorkGroup, _ isolatedFunction: sending @escaping @isolated(any) () -> Void
    ) -> Bool {
        asyncBarrier(in: group, withoutIsolation(isolatedFunction, "ConcurrentQueue.asyncBarrier"), from: sq_swift_caller())
    }

    /// Submits a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @discardableResult @inline(never)
    public func asyncBarrierAfter(
        _ delay: Duration, _ isolatedFunction: sending @escaping @isolated(any) () -> Void
    ) -> Bool {
        asyncBarrierAfter(delay, withoutIsolation(isolatedFunction, "ConcurrentQueue.asyncBarrierAfter"), from: sq_swift_caller())
    }
}

extension WorkGroup {
    /// Registers a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @discardableResult
    public func notify(on queue: WorkQueue, _ isolatedFunction: sending @escaping @isolated(any) () -> Void) -> Bool {
        notify(on: queue, withoutIsolation(isolatedFunction, "WorkGroup.notify"))
    }
}

extension WorkItem {
    /// Makes an item of a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    public convenience init(
        label: String = "", isBarrier: Bool = false,
        _ isolatedFunction: sending @escaping @isolated(any) () -> Void
    ) {
        self.init(label: label, isBarrier: isBarrier, withoutIsolation(isolatedFunction, "WorkItem.init"))
    }

    /// Makes an item of a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    public convenience init(
        label: String = "", isBarrier: Bool = false,
        _ isolatedFunction: sending @escaping @isolated(any) (WorkItem) -> Void
    ) {
        self.init(label: label, isBarrier: isBarrier, withoutIsolation(isolatedFunction, "WorkItem.init"))
    }

    /// Registers a function that is isolated to nothing. One that is isolated traps.
    @_documentation(visibility: internal)
    @discardableResult
    public func notify(on queue: WorkQueue, _ isolatedFunction: sending @escaping @isolated(any) () -> Void) -> Bool {
        notify(on: queue, withoutIsolation(isolatedFunction, "WorkItem.notify"))
    }
}
