import Dispatch
import SerialQueue

// The closure of a once that cannot end. In Swift a static constant takes the place of dispatch_once. The same shapes are in C
// in Examples/c/hangs/many.c.

enum OnceItself: Hang {
    static let name = "once-itself"
    static let summary = "the function of a once calls the same once"
    static let expected = ["from inside its own function"]

    private enum Constant {
        static let value: Int = again()
        static func again() -> Int { value }
    }

    static func withSerialQueue() {
        let first = Once()
        first.run { first.run { say("never said") } }
    }

    static func withDispatchQueue() {
        say("\(Constant.value)")
    }
}

enum OnceCycle: Hang {
    static let name = "once-cycle"
    static let summary = "the functions of two onces call each other's once"
    static let expected = ["deadlock: thread ", "is inside the function of once"]

    private enum Constants {
        static let bothRun = Rendezvous()
        static let first: Int = needSecond()
        static let second: Int = needFirst()
        static func needSecond() -> Int {
            bothRun.meet()
            return second
        }
        static func needFirst() -> Int {
            bothRun.meet()
            return first
        }
    }

    static func withSerialQueue() {
        let store = SerialQueue(label: "com.example.store"), log = SerialQueue(label: "com.example.log")
        let first = Once(), second = Once(), bothRun = Rendezvous()
        store.async {
            first.run {
                bothRun.meet()
                second.run {}
            }
        }
        log.async {
            second.run {
                bothRun.meet()
                first.run {}
            }
        }
        store.sync {}
        log.sync {}
    }

    static func withDispatchQueue() {
        let store = DispatchQueue(label: "com.example.store"), log = DispatchQueue(label: "com.example.log")
        store.async { say("\(Constants.first)") }
        log.async { say("\(Constants.second)") }
        store.sync {}
        log.sync {}
    }
}

enum OnceQueue: Hang {
    static let name = "once-queue"
    static let summary = "the function of a once syncs onto a queue whose task waits for the once"
    static let expected = ["deadlock: thread ", "is inside the function of once"]

    private enum Constant {
        static let bothRun = Rendezvous()
        static let store = DispatchQueue(label: "com.example.store")
        static let value: Int = syncOntoStore()
        static func syncOntoStore() -> Int {
            bothRun.meet()
            return store.sync { 1 }
        }
    }

    static func withSerialQueue() {
        let store = SerialQueue(label: "com.example.store"), log = SerialQueue(label: "com.example.log")
        let first = Once(), bothRun = Rendezvous()
        log.async {
            first.run {
                bothRun.meet()
                store.sync {}
            }
        }
        store.async {
            bothRun.meet()
            first.run {}
        }
        store.sync {}
        log.sync {}
    }

    static func withDispatchQueue() {
        let log = DispatchQueue(label: "com.example.log")
        log.async { say("\(Constant.value)") }
        Constant.store.async {
            Constant.bothRun.meet()
            say("\(Constant.value)")
        }
        Constant.store.sync {}
        log.sync {}
    }
}
