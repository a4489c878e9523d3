import SerialQueue

/// A value that one thread at a time can access. The lock is a SerialQueue that is only used with `sync`: it costs less than a
/// mutex, starts no thread, and ThreadSanitizer can follow it, unlike `Synchronization.Mutex`.
///
/// Sendable because the value is only accessed in a `sync`.
final class QueueLocked<Value: ~Copyable>: @unchecked Sendable {
    private let lock = SerialQueue(label: "lock of a FIFOQueue")
    // The lock already excludes concurrent access; checking each access would slow down each task.
    @exclusivity(unchecked) private var value: Value

    init(_ value: consuming Value) {
        self.value = value
    }

    /// Don't use this for a `body` that calls user code, deinits included.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.sync { body(&value) }
    }
}
