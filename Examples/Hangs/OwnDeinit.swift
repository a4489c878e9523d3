import Dispatch
import SerialQueue

/// A deinit that cleans up on its queue. It works for years, until the last reference is released by a closure on that very
/// queue.
enum OwnDeinit: Hang {
    static let name = "deinit"
    static let summary = "a deinit calls sync onto its queue, and happens to run on it"
    static let expected = ["\"com.example.connection\" from its own task", "syncOrRun"]

    static func withSerialQueue() {
        final class Connection: Sendable {
            let queue = SerialQueue(label: "com.example.connection")
            func send() {}
            deinit { queue.sync { say("closed") } }
        }
        var connection: Connection? = Connection()
        let queue = connection!.queue
        queue.suspend()  // so that the closure is the last to hold the connection
        queue.async { [connection] in connection!.send() }
        connection = nil
        queue.resume()
        queue.sync {}
    }

    static func withDispatchQueue() {
        final class Connection: Sendable {
            let queue = DispatchQueue(label: "com.example.connection")
            func send() {}
            deinit { queue.sync { say("closed") } }
        }
        var connection: Connection? = Connection()
        let queue = connection!.queue
        queue.suspend()  // so that the closure is the last to hold the connection
        queue.async { [connection] in connection!.send() }
        connection = nil
        queue.resume()
        queue.sync {}
    }
}
