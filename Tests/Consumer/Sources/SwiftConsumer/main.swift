// Uses the package as its users do: built optimised, through the public face alone. Prints one line and ends with 0, or
// traps. With the argument `deadlock` it must trap.

import SerialQueue

struct Full: Error, Equatable { let limit: Int }

final class Store: Sendable {
    private let queue = SerialQueue(label: "com.example.store")
    private nonisolated(unsafe) var words: [String] = []  // touched on the queue alone

    func add(_ word: String) {
        queue.async { self.words.append(word) }
    }

    var count: Int {
        queue.sync { words.count }
    }

    func check(limit: Int) throws(Full) {
        try queue.sync { () throws(Full) in
            if words.count > limit { throw Full(limit: limit) }
        }
    }

    func wait(_ again: Int) -> Int {
        queue.sync { again == 0 ? count : wait(again - 1) }
    }

    func isConsistent() -> Bool {
        let counts = queue.statistics
        return queue.sync { queue.isCurrent && SerialQueue.current == queue } && counts.submitted == counts.ran
    }
}

let store = Store()

if CommandLine.arguments.dropFirst().first == "deadlock" {
    print(store.wait(1))
}

for number in 0..<1_000 {
    store.add("word \(number)")
}
guard store.count == 1_000, store.isConsistent() else {
    fatalError("the store has \(store.count) words")
}
do throws(Full) {
    try store.check(limit: 1_000)
    try store.check(limit: 10)
    fatalError("nothing was thrown")
} catch {
    guard error == Full(limit: 10) else { fatalError("thrown: \(error)") }
}
print("swift-consumer: 1000 words")
