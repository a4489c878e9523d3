import Dispatch
import SerialQueue

// A thread that waits for a group waits for each of its members: one member that cannot end before is enough. The same shapes
// are in C in Examples/c/hangs/many.c.

private let saysStore = ["WorkGroup.wait: deadlock: thread ", "waits for group \"saves\", which has a task in queue \"com.example.store\""]

/// A closure adds a member behind itself, and waits for it.
enum OwnMember: Hang {
    static let name = "own-member"
    static let summary = "a task submits a member of a group behind itself, and waits for the group"
    static let expected = saysStore

    static func withSerialQueue() {
        let store = SerialQueue(label: "com.example.store"), saves = WorkGroup(label: "saves")
        store.sync {
            store.async(in: saves) {}
            saves.wait()
        }
    }

    static func withDispatchQueue() {
        let store = DispatchQueue(label: "com.example.store"), saves = DispatchGroup()
        store.sync {
            store.async(group: saves) {}
            saves.wait()
        }
    }
}

enum MemberWaits: Hang {
    static let name = "member-waits"
    static let summary = "a member of a group waits for the group"
    static let expected = saysStore

    static func withSerialQueue() {
        let store = SerialQueue(label: "com.example.store"), saves = WorkGroup(label: "saves")
        store.async(in: saves) { saves.wait() }
        store.sync {}
    }

    static func withDispatchQueue() {
        let store = DispatchQueue(label: "com.example.store"), saves = DispatchGroup()
        store.async(group: saves) { saves.wait() }
        store.sync {}
    }
}

enum MemberSyncs: Hang {
    static let name = "member-syncs"
    static let summary = "a task waits for a group whose member syncs onto the task's queue"
    static let expected = ["deadlock: thread ", "waits for group \"saves\", which has a task in queue \"com.example.log\""]

    static func withSerialQueue() {
        let store = SerialQueue(label: "com.example.store"), log = SerialQueue(label: "com.example.log")
        let saves = WorkGroup(label: "saves"), bothRun = Rendezvous()
        log.async(in: saves) {
            bothRun.meet()
            store.sync { say("never said") }
        }
        store.sync {
            bothRun.meet()
            saves.wait()
        }
    }

    static func withDispatchQueue() {
        let store = DispatchQueue(label: "com.example.store"), log = DispatchQueue(label: "com.example.log")
        let saves = DispatchGroup(), bothRun = Rendezvous()
        log.async(group: saves) {
            bothRun.meet()
            store.sync { say("never said") }
        }
        store.sync {
            bothRun.meet()
            saves.wait()
        }
    }
}

enum TwoGroups: Hang {
    static let name = "two-groups"
    static let summary = "members of two groups wait for each other's group"
    static let expected = ["deadlock: thread ", "waits for group \"loads\", which has a task in queue \"com.example.store\""]

    static func withSerialQueue() {
        let store = SerialQueue(label: "com.example.store"), log = SerialQueue(label: "com.example.log")
        let saves = WorkGroup(label: "saves"), loads = WorkGroup(label: "loads"), bothRun = Rendezvous()
        store.async(in: loads) {
            bothRun.meet()
            saves.wait()
        }
        log.async(in: saves) {
            bothRun.meet()
            loads.wait()
        }
        store.sync {}
    }

    static func withDispatchQueue() {
        let store = DispatchQueue(label: "com.example.store"), log = DispatchQueue(label: "com.example.log")
        let saves = DispatchGroup(), loads = DispatchGroup(), bothRun = Rendezvous()
        store.async(group: loads) {
            bothRun.meet()
            saves.wait()
        }
        log.async(group: saves) {
            bothRun.meet()
            loads.wait()
        }
        store.sync {}
    }
}

enum LateMember: Hang {
    static let name = "late-member"
    static let summary = "while a task waits for a group, a member is submitted behind it"
    static let expected = saysStore

    static func withSerialQueue() {
        let store = SerialQueue(label: "com.example.store"), saves = WorkGroup(label: "saves"), bothRun = Rendezvous()
        saves.enter()
        store.async {
            bothRun.meet()
            saves.wait()
        }
        bothRun.meet()
        store.async(in: saves) {}  // the wait has begun, or begins
        saves.leave()
        store.sync {}
    }

    static func withDispatchQueue() {
        let store = DispatchQueue(label: "com.example.store"), saves = DispatchGroup(), bothRun = Rendezvous()
        saves.enter()
        store.async {
            bothRun.meet()
            saves.wait()
        }
        bothRun.meet()
        store.async(group: saves) {}  // the wait has begun, or begins
        saves.leave()
        store.sync {}
    }
}

/// The barrier waits for the closure that waits for the member, which waits for the barrier.
enum BehindBarrier: Hang {
    static let name = "behind-barrier"
    static let summary = "a task of a concurrent queue waits for a member that is behind a barrier of the same queue"
    static let expected = ["WorkGroup.wait: deadlock: thread ", "waits for group \"saves\", which has a task in queue \"com.example.cache\""]

    static func withSerialQueue() {
        let cache = ConcurrentQueue(label: "com.example.cache"), saves = WorkGroup(label: "saves")
        cache.sync {
            cache.asyncBarrier {}
            cache.async(in: saves) {}
            saves.wait()
        }
    }

    static func withDispatchQueue() {
        let cache = DispatchQueue(label: "com.example.cache", attributes: .concurrent), saves = DispatchGroup()
        cache.sync {
            cache.async(flags: .barrier) {}
            cache.async(group: saves) {}
            saves.wait()
        }
    }
}
