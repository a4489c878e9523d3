import Dispatch
import SerialQueue

/// A closure on a queue waits for the same queue. It has to end before its turn comes, and waits for its turn to end.
enum SyncInAsync: Hang {
    static let name = "sync-in-async"
    static let summary = "a closure that runs on a queue calls sync onto the same queue"
    static let expected = ["\"com.example.store\" from its own task", "syncOrRun"]

    static func withSerialQueue() {
        let queue = SerialQueue(label: "com.example.store")
        queue.async {
            queue.sync { say("never said") }
        }
        queue.sync {}
    }

    static func withDispatchQueue() {
        let queue = DispatchQueue(label: "com.example.store")
        queue.async {
            queue.sync { say("never said") }
        }
        queue.sync {}
    }
}
