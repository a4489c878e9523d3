import SerialQueue

/// What was said in a room. Its queue is the only thing that guards it, and the compiler refuses access without the queue.
final class Room: Sendable {
    struct Total {
        var messages = 0
        var bytes = 0
        var outOfOrder = 0
    }

    private struct Said {
        var total = Total()
        var lastOf: [Int: Int] = [:]  // author to the number of the last message
    }

    private let said: QueueIsolated<Said>

    init(label: String, on pool: WorkerPool) {
        said = QueueIsolated(Said(), on: SerialQueue(label: label, on: pool))
    }

    /// Submits a message; the room stores it when the room's turn on the pool comes.
    func say(_ text: String, author: Int, number: Int) {
        said.async { said in
            said.total.messages += 1
            said.total.bytes += text.utf8.count
            if let last = said.lastOf[author], last >= number { said.total.outOfOrder += 1 }
            said.lastOf[author] = number
        }
    }

    /// What was said before this call.
    var total: Total {
        said.sync { $0.total }
    }
}
