import Dispatch
import SerialQueue

/// Two transfers, each of which holds one account's queue and waits for the other's. The rendezvous only makes certain what
/// happens once in a million without it.
enum Cross: Hang {
    static let name = "cross"
    static let summary = "two closures on two queues, each calls sync onto the other's queue"
    static let expected = ["deadlock: thread ", "queue \"com.example.giro\"", "queue \"com.example.savings\""]

    static func withSerialQueue() {
        let giro = SerialQueue(label: "com.example.giro")
        let savings = SerialQueue(label: "com.example.savings")
        let bothRun = Rendezvous()
        giro.async {
            bothRun.meet()
            savings.sync { say("never said") }
        }
        savings.async {
            bothRun.meet()
            giro.sync { say("never said") }
        }
        giro.sync {}
        savings.sync {}
    }

    static func withDispatchQueue() {
        let giro = DispatchQueue(label: "com.example.giro")
        let savings = DispatchQueue(label: "com.example.savings")
        let bothRun = Rendezvous()
        giro.async {
            bothRun.meet()
            savings.sync { say("never said") }
        }
        savings.async {
            bothRun.meet()
            giro.sync { say("never said") }
        }
        giro.sync {}
        savings.sync {}
    }
}

/// Where two threads wait for each other.
struct Rendezvous: Sendable {
    private let group = DispatchGroup()

    init() {
        group.enter()
        group.enter()
    }

    func meet() {
        group.leave()
        group.wait()
    }
}
