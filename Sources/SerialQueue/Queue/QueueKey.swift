import CSerialQueue
import CSerialQueueSwiftCall

/// A key for values that a program attaches to queues, for example to find out where it runs.
///
/// ```swift
/// let queue = SerialQueue(label: "network"), role = QueueKey<String>()
/// queue.setValue("network", for: role)
/// queue.async { print(role.current ?? "elsewhere") }  // network
/// ```
///
/// Two keys are never equal: keep the key, for example in a static property.
public final class QueueKey<Value: Sendable>: Sendable {
    /// Makes a key for which no queue has a value.
    public init() {}

    /// The value of the innermost queue that has one, among the queues for which ``WorkQueue/isCurrent`` is true.
    ///
    /// Also while a closure's captures are released, in a `deinit` for example. `nil` if no such queue has one.
    public var current: Value? {
        QueueValue.taken(from: sq__current_value(address, QueueValue<Value>.retain))
    }

    /// What C compares.
    var address: UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    }
}

extension WorkQueue {
    /// Attaches a value to the queue, in place of the one that it has for this key; `nil` removes it.
    ///
    /// The queue keeps the value, and the key, until the value is replaced or the queue no longer exists. Any thread may call. Traps on a
    /// queue from before a `fork`.
    public final func setValue<Value: Sendable>(_ value: Value?, for key: QueueKey<Value>) {
        let box = value.map { Unmanaged.passRetained(QueueValue($0, key)).toOpaque() }
        let error = withExtendedLifetime(self) { sq_queue_set_value(queue, key.address, box, QueueValue<Value>.release) }
        guard error == 0 else { cannotSetValue(label, error) }
    }

    /// The queue's value for this key; `nil` if it has none. Any thread may call.
    public final func value<Value: Sendable>(for key: QueueKey<Value>) -> Value? {
        QueueValue.taken(from: withExtendedLifetime(self) { sq__queue_value(queue, key.address, QueueValue<Value>.retain) })
    }
}

/// A value, as C keeps it. It keeps its key, whose address C compares: no other key gets that address.
private final class QueueValue<Value: Sendable>: Sendable {
    let value: Value
    let key: QueueKey<Value>

    init(_ value: Value, _ key: QueueKey<Value>) {
        self.value = value
        self.key = key
    }

    // C calls this under its lock, so that the value is not released before. A retain runs no code of the program's.
    static var retain: sq_function_t { { _ = Unmanaged<AnyObject>.fromOpaque($0!).retain() } }
    static var release: sq_function_t { { Unmanaged<AnyObject>.fromOpaque($0!).release() } }

    /// The value of a box that C has retained.
    static func taken(from box: UnsafeMutableRawPointer?) -> Value? {
        box.map { Unmanaged<QueueValue<Value>>.fromOpaque($0).takeRetainedValue().value }
    }
}
