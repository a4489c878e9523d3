import Synchronization

/// Plain memory, guarded by nothing but the queue under test: a queue that fails to order its tasks shows here, at the
/// latest under ThreadSanitizer.
final class Guarded<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// Counts from any thread.
final class Counter: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    @discardableResult
    func increment() -> Int {
        number.add(1, ordering: .sequentiallyConsistent).newValue
    }
}

/// Something for a closure to capture: calls back when it is released.
final class Captured: Sendable {
    private let onRelease: @Sendable () -> Void

    init(_ onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = onRelease
    }

    convenience init(releases: Counter) {
        self.init { releases.increment() }
    }

    /// Makes the closure that calls this a holder of the object, whatever the optimiser thinks.
    func touch() {
        withExtendedLifetime(self) {}
    }

    deinit {
        onRelease()
    }
}
