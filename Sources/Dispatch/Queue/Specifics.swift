// Specifics.swift: values of queues. What runs while a queue's captures are released still finds them.

import CSerialQueue
import Dispatch
import SerialQueue
import Synchronization

/// The values of all queues that have some.
enum Specifics {
    /// The value of one queue under one key.
    private struct Entry: @unchecked Sendable {  // the pointers name queues
        let queue: OpaquePointer
        /// The queue at the end of the targets, which is the innermost one in a closure.
        let root: OpaquePointer
        /// How many targets the queue has.
        let depth: Int
        let value: Value
    }

    /// Sendable because nothing uses the key but its address.
    private struct Key: @unchecked Sendable {
        let key: AnyObject
    }

    /// The key, and its entries. Holds the key: no other one gets its address.
    private struct Row: Sendable {
        let key: Key
        var entries: [Entry] = []
    }

    private static let rows = Mutex<[ObjectIdentifier: Row]>([:])
    /// None yet: nobody looks.
    private static let isUsed = Atomic(false)

    /// Sendable, although the value may not be: Dispatch does not check it either.
    private struct Value: @unchecked Sendable {
        let value: Any
    }

    static func set<T>(_ key: DispatchSpecificKey<T>, _ value: T?, of queue: DispatchQueue) {
        isUsed.store(true, ordering: .relaxed)
        let entry = value.map {
            Entry(queue: queue.queue.queue, root: queue.root.queue.queue, depth: queue.depth, value: Value(value: $0))
        }
        let pointer = SentPointer(queue.queue.queue)
        let identity = ObjectIdentifier(key), key = Key(key: key)
        // Released after the lock: a value may have a deinit.
        let old = rows.withLock { rows in
            var row = rows[identity] ?? Row(key: key)
            let old = row
            row.entries.removeAll { $0.queue == pointer.pointer }
            if let entry { row.entries.append(entry) }
            rows[identity] = row.entries.isEmpty ? nil : row
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// The value of a queue. Its targets are not asked.
    static func get<T>(_ key: DispatchSpecificKey<T>, of queue: DispatchQueue) -> T? {
        let pointer = SentPointer(queue.queue.queue)
        return find(key) { $0.queue == pointer.pointer }
    }

    /// The value of the queue that the caller runs on, or of the first of its targets that has one.
    static func getCurrent<T>(_ key: DispatchSpecificKey<T>) -> T? {
        guard isUsed.load(ordering: .relaxed), let innermost = sq_current_queue().map(SentPointer.init) else { return nil }
        return find(key) { $0.root == innermost.pointer && sq_is_current($0.queue) }
    }

    private static func find<T>(_ key: DispatchSpecificKey<T>, _ isWanted: @Sendable (Entry) -> Bool) -> T? {
        let key = ObjectIdentifier(key)
        let found = rows.withLock { $0[key]?.entries.filter(isWanted).max { $0.depth < $1.depth }?.value }
        return found?.value as? T
    }

    /// Removes the values of a queue after its last closure.
    static func end(of queue: DispatchQueue) {
        guard isUsed.load(ordering: .relaxed) else { return }
        let pointer = SentPointer(queue.queue.queue)
        guard rows.withLock({ $0.values.contains { $0.entries.contains { $0.queue == pointer.pointer } } }) else { return }
        let last = LastUse(pointer.pointer)
        let isLast =
            (queue.queue as? ConcurrentQueue)?.asyncBarrier { withExtendedLifetime(last) {} }
            ?? queue.queue.async { withExtendedLifetime(last) {} }
        _ = isLast  // refused: it is released here
    }

    /// Removes the values of a queue when it is released: by the queue's last closure, also if that is discarded.
    private final class LastUse: Sendable {
        let queue: SentPointer

        init(_ queue: OpaquePointer) {
            self.queue = SentPointer(queue)
        }

        deinit {
            let queue = queue
            let old = rows.withLock { rows in
                let old = rows
                rows = rows.compactMapValues { row in
                    var row = row
                    row.entries.removeAll { $0.queue == queue.pointer }
                    return row.entries.isEmpty ? nil : row
                }
                return old
            }
            withExtendedLifetime(old) {}
        }
    }
}

/// Names a queue. Not dereferenced after the queue's end.
private struct SentPointer: @unchecked Sendable {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { self.pointer = pointer }
}
