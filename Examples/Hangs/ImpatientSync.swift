import Dispatch
import Glibc
import SerialQueue

/// A caller that must answer soon, and a queue that is busy for longer. DispatchQueue has no sync with a time limit. The usual
/// substitute, an async and a semaphore, times out too, but the closure still runs: after its caller has answered, and perhaps
/// freed what the closure uses.
enum ImpatientSync: Hang {
    static let name = "impatient-sync"
    static let summary = "a sync that must not wait forever, on a busy queue"
    static let expected = ["answered without it: The queue did not get to it in time.", "the disk is back", "ran 2,"]

    static func withSerialQueue() {
        let queue = SerialQueue(label: "com.example.cache")
        queue.async {
            sleep(1)  // a slow disk
            say("the disk is back")
        }
        do {
            try queue.sync(within: .milliseconds(100)) { say("never said") }
        } catch {
            say("answered without it: \(error)")
        }
        queue.sync {}
        say("ran \(queue.statistics.ran), withdrawn \(queue.statistics.withdrawn)")
    }

    static func withDispatchQueue() {
        let queue = DispatchQueue(label: "com.example.cache")
        queue.async {
            sleep(1)  // a slow disk
            say("the disk is back")
        }
        let answered = DispatchSemaphore(value: 0)
        queue.async {
            say("run, although nothing waits for it any more")
            answered.signal()
        }
        if answered.wait(timeout: .now() + .milliseconds(100)) == .timedOut { say("answered without it") }
        queue.sync {}
    }
}
