/// A value of which one thread at a time has the use. The lock is a SerialQueue that only ever does `sync`: that costs less
/// than a mutex, starts no thread, and ThreadSanitizer can follow it, which it cannot with `Synchronization.Mutex`.
///
/// Sendable because the value is only ever touched in a `sync`.
final class QueueLocked<Value: ~Copyable>: @unchecked Sendable {
    private let lock = SerialQueue()
    // The lock excludes already; a check of each access would be paid for by each task.
    @exclusivity(unchecked) private var value: Value

    init(_ value: consuming Value) {
        self.value = value
    }

    /// Not for a `body` that calls code of the user's, deinits included.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.sync { body(&value) }
    }
}
