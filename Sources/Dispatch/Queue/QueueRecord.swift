// QueueRecord.swift: values of queues, and where code runs.

import CSerialQueue
import Dispatch
import SerialQueue
import Synchronization

/// What code that runs on a queue can ask. A value of the core's queue, if there is something to ask for: it lasts until the last closure and its
/// captures were released.
final class QueueRecord: @unchecked Sendable {
    // Sendable because the values are under a lock, and the rest is set before the core's queue can be used.

    /// Its address is the key under which a queue of the core has its record. The order of a source has that of the source's queue.
    private static let key = QueueRecord(label: "", isShared: false)
    private static var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(key).toOpaque()) }

    /// The value under a key, which it keeps: no other key gets its address. Dispatch does not demand that values are Sendable either.
    private struct Entry: @unchecked Sendable {
        let key: AnyObject
        let value: Any
    }

    let label: String
    /// The record of the queue's target.
    var target: QueueRecord?
    /// The core's queue, which may be gone: its address says whether the caller runs on it.
    var core: OpaquePointer?
    /// Whether the queue may be a target that others share.
    let isShared: Bool
    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    init(label: String, isShared: Bool) {
        self.label = label
        self.isShared = isShared
    }

    /// That of a queue whose closure has entered a target that the queue shares. A task that the closure makes inherits it.
    @TaskLocal static var entered: QueueRecord?

    /// That of the queue that the caller runs on. The main thread is on the main queue also outside of closures.
    static var current: QueueRecord? {
        guard let queue = sq_current_queue() else { return MainLoop.isMain ? Home.current.main.record : nil }
        // The queue keeps it, and is not freed before its running closure has returned.
        guard let found = sq_queue_value(queue, address) else { return nil }
        let innermost = Unmanaged<QueueRecord>.fromOpaque(found).takeUnretainedValue()
        guard innermost.isShared, let entered, sq_is_current(entered.core!), entered.andTargets.contains(where: { $0 === innermost }) else {
            return innermost
        }
        return entered
    }

    /// The record, and those of the queue's targets.
    var andTargets: UnfoldFirstSequence<QueueRecord> {
        sequence(first: self) { $0.target }
    }

    /// Gives a queue of the core this record, for good.
    func attach(to queue: WorkQueue) {
        let record = Unmanaged.passRetained(self)
        let error = sq_queue_set_value(queue.queue, Self.address, record.toOpaque()) { Unmanaged<QueueRecord>.fromOpaque($0!).release() }
        guard error == 0 else { fatalError("DispatchQueue \"\(label)\": \(String(cString: sq_error_text(error))).") }
        withExtendedLifetime(queue) {}
    }

    func set<T>(_ key: DispatchSpecificKey<T>, _ value: T?) {
        let entry = value.map { Entry(key: key, value: $0) }
        // Released after the lock: a value may have a deinit.
        let old = entries.withLock { entries in
            let old = entries[ObjectIdentifier(key)]
            entries[ObjectIdentifier(key)] = entry
            return old
        }
        withExtendedLifetime(old) {}
    }

    func get<T>(_ key: DispatchSpecificKey<T>) -> T? {
        let key = ObjectIdentifier(key)
        return entries.withLock { $0[key] }?.value as? T
    }
}

extension DispatchQueue {
    /// Sets or removes the value of this queue under a key.
    public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {
        record.set(key, value)
        attachRecord()
    }

    /// The value of this queue under a key. Its targets are not asked.
    public func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
        record.get(key)
    }

    /// The value of the queue that the caller runs on, or of the first of its targets that has one.
    ///
    /// Also while a closure's captures are released, and on the main thread outside of closures.
    public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
        QueueRecord.current?.andTargets.lazy.compactMap { $0.get(key) }.first
    }
}
