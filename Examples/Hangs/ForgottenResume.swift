import Dispatch
import SerialQueue

/// A queue is suspended while its resource is not ready, and one way out of the function forgets to resume it.
enum ForgottenResume: Hang {
    static let name = "forgotten-resume"
    static let summary = "a queue is suspended, and an early return forgets to resume it"
    static let expected = ["\"com.example.upload\": 1 waiting", "it is suspended", "discarded 1"]

    static func withSerialQueue() {
        let queue = SerialQueue(label: "com.example.upload")
        let stalled = DispatchSemaphore(value: 0)
        queue.onStall(after: .milliseconds(200)) { stall in
            let cause = stall.isSuspended ? "it is suspended" : "\(stall.kind)"
            say("queue \"\(stall.label)\": \(stall.depth) waiting for \(stall.duration) or longer: \(cause)")
            stalled.signal()
        }

        func reconnect(to host: String?) {
            queue.suspend()
            guard let host else { return }  // the mistake
            say("connected to \(host)")
            queue.resume()
        }

        reconnect(to: nil)
        queue.async { say("never said") }
        stalled.wait()  // A program would log it and continue.
        try? queue.shutdown(.discard)
        say("shut it down: discarded \(queue.statistics.discarded)")
    }

    static func withDispatchQueue() {
        let queue = DispatchQueue(label: "com.example.upload")

        func reconnect(to host: String?) {
            queue.suspend()
            guard let host else { return }  // the mistake
            say("connected to \(host)")
            queue.resume()
        }

        reconnect(to: nil)
        queue.async { say("never said") }
        queue.sync {}
    }
}
