import SerialQueue
import SerialQueueTesting

/// A user cancels a save. It is reported as cancelled, whether it was or not.
extension Program {
    static let cancelAgainstStart = Program(name: "cancel against start") { pool in
        let file = File(on: pool)
        let save = file.save("draft")
        let interface = SerialQueue(label: "interface", on: pool)
        let isCancelled = try await interface.run {
            save.cancel()
            return true
        }
        let text = try await file.text
        try pool.require(!isCancelled || text == "", "the save was cancelled, and the file was written")
    } correct: { pool in
        let file = File(on: pool)
        let save = file.save("draft")
        let interface = SerialQueue(label: "interface", on: pool)
        let isCancelled = try await interface.run { save.cancel() }
        let text = try await file.text
        try pool.require(!isCancelled || text == "", "the save was cancelled, and the file was written")
    }

    /// Unchecked Sendable: the text is only accessed on the queue.
    private final class File: @unchecked Sendable {
        private let queue: SerialQueue
        private var written = ""

        init(on pool: WorkerPool) {
            queue = SerialQueue(label: "file", on: pool)
        }

        func save(_ text: String) -> WorkItem {
            let item = WorkItem(label: "save") { self.written = text }
            queue.async(item)
            return item
        }

        var text: String {
            get async throws { try await queue.run { self.written } }
        }
    }
}
