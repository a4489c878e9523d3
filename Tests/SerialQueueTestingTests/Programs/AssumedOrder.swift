import SerialQueue
import SerialQueueTesting

/// A store writes a record on one queue and its index on another.
extension Program {
    static let assumedOrder = Program(name: "assumed order between two queues") { pool in
        let store = Store(on: pool)
        store.add("apple")
        try await store.drain()
        try pool.require(store.dangling == 0, "the index was written before its record")
    } correct: { pool in
        let store = Store(on: pool)
        store.addInOrder("apple")
        try await store.drain()
        try pool.require(store.dangling == 0, "the index was written before its record")
    }

    /// Unchecked Sendable: nothing runs at the same time on a manual pool.
    private final class Store: @unchecked Sendable {
        private let records: SerialQueue
        private let index: SerialQueue
        private let group = WorkGroup(label: "store")
        private var stored: Set<String> = []
        private(set) var dangling = 0

        init(on pool: WorkerPool) {
            records = SerialQueue(label: "records", on: pool)
            index = SerialQueue(label: "index", on: pool)
        }

        func add(_ word: String) {
            records.async(in: group) { self.stored.insert(word) }
            index.async(in: group) { self.addToIndex(word) }
        }

        func addInOrder(_ word: String) {
            records.async(in: group) {
                self.stored.insert(word)
                self.index.async(in: self.group) { self.addToIndex(word) }
            }
        }

        private func addToIndex(_ word: String) {
            if !stored.contains(word) { dangling += 1 }
        }

        func drain() async throws {
            try await group.wait()
        }
    }
}
