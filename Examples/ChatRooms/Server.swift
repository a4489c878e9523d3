import SerialQueue

/// All rooms and their authors.
final class Server: Sendable {
    private let rooms: [Room]
    let bytesPerRoom: Int

    init(rooms count: Int) {
        let before = Footprint.now.resident
        rooms = (0..<count).map { Room(label: "r\($0)", on: .shared) }
        bytesPerRoom = max(Footprint.now.resident - before, 0) * 1024 * 1024 / count
    }

    /// Has `authors` threads send the lines, over and over until there are `messages`: of three authors, each sends every third one.
    /// The number and the text of a message decide which room it goes to.
    func speak(_ lines: [String], messages: Int, authors: Int) -> (messages: Int, bytes: Int) {
        // An author is a queue with a thread of its own, and what has been sent belongs to it.
        let threads = (0..<authors).map { QueueIsolated(Total(), on: SerialQueue(label: "author \($0)")) }
        for (author, thread) in threads.enumerated() {
            thread.async { [self] total in
                for number in stride(from: author, to: messages, by: authors) {
                    let text = lines[number % lines.count]
                    rooms[room(of: number, text)].say(text, author: author, number: number)
                    total.bytes += text.utf8.count
                    total.messages += 1
                }
            }
        }
        return threads.reduce((0, 0)) { sum, thread in
            thread.sync { (sum.0 + $0.messages, sum.1 + $0.bytes) }
        }
    }

    /// Some rooms are livelier than others: every eighth message goes to one of a hundred.
    private func room(of number: Int, _ text: String) -> Int {
        var hash = UInt64(truncatingIfNeeded: number &+ text.utf8.count) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 32
        let choice = number.isMultiple(of: 8) ? min(rooms.count, 100) : rooms.count
        return Int(hash % UInt64(choice))
    }

    struct Totals {
        var messages = 0
        var bytes = 0
        var outOfOrder = 0
        var busiest = (room: 0, messages: 0)
    }

    func totals() -> Totals {
        var totals = Totals()
        for (number, room) in rooms.enumerated() {
            let total = room.total
            totals.messages += total.messages
            totals.bytes += total.bytes
            totals.outOfOrder += total.outOfOrder
            if total.messages > totals.busiest.messages { totals.busiest = (number, total.messages) }
        }
        return totals
    }

    func perSecond(_ messages: Int, in duration: Duration) -> Int {
        Int(Double(messages) / max(duration / .seconds(1), 0.001))
    }
}

/// What one author has sent.
private struct Total {
    var messages = 0
    var bytes = 0
}
