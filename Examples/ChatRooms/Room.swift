import SerialQueue

/// What was said in a room. Its queue is the only thing that guards it.
final class Room: @unchecked Sendable {
    // Sendable because all that changes is touched by closures of `queue` alone.
    private let queue: SerialQueue
    private var messages = 0
    private var bytes = 0
    private var outOfOrder = 0
    private var lastOf: [Int: Int] = [:]  // author to the number of the last message

    struct Total {
        var messages = 0
        var bytes = 0
        var outOfOrder = 0
    }

    init(label: String, on pool: WorkerPool) {
        queue = SerialQueue(label: label, on: pool)
    }

    /// Submits a message; the room stores it when the room's turn on the pool comes.
    func say(_ text: String, author: Int, number: Int) {
        queue.async { [self] in
            messages += 1
            bytes += text.utf8.count
            if let last = lastOf[author], last >= number { outOfOrder += 1 }
            lastOf[author] = number
        }
    }

    /// What was said before this call.
    var total: Total {
        queue.sync { Total(messages: messages, bytes: bytes, outOfOrder: outOfOrder) }
    }
}
