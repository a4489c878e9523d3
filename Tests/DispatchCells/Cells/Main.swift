import Dispatch
import Glibc

/// The main queue, and the main thread outside of closures.
let mains: [Cell] = [
    Cell(name: "main/value-outside-closures") {
        let k = DispatchSpecificKey<Int>()
        DispatchQueue.main.setSpecific(key: k, value: 1)
        return "\(DispatchQueue.getSpecific(key: k) ?? 0)"
    },
    Cell(name: "main/value-in-a-sync-elsewhere") {
        let k = DispatchSpecificKey<Int>(), q = DispatchQueue(label: "q")
        DispatchQueue.main.setSpecific(key: k, value: 1)
        return "\(q.sync { DispatchQueue.getSpecific(key: k) ?? 0 })"
    },
    Cell(name: "ends/main-actor-has-values", run: {
        let k = DispatchSpecificKey<Int>()
        DispatchQueue.main.setSpecific(key: k, value: 1)
        Task { @MainActor in print(DispatchQueue.getSpecific(key: k) ?? 0); finish() }
        dispatchMain()
    }, isAlone: true),
    Cell(name: "ends/main-actor-is-on-main", run: {
        Task { @MainActor in dispatchPrecondition(condition: .onQueue(.main)); print("on main"); finish() }
        dispatchMain()
    }, isAlone: true),
    Cell(name: "ends/main-first-used-elsewhere", run: {
        let used = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { DispatchQueue.main.async {}; used.signal() }
        used.wait()
        DispatchQueue.main.sync {}
        return "went through"
    }, isAlone: true),
    // The main thread waits for a closure that waits for the main queue, which nothing has used before.
    Cell(name: "ends/main-cycle-by-sync", run: {
        let q = DispatchQueue(label: "q")
        q.async { DispatchQueue.main.sync {} }
        q.sync {}
        return "went through"
    }, isAlone: true),
    Cell(name: "ends/main-cycle-on-a-queue-of-another-thread", run: {
        nonisolated(unsafe) var made: DispatchQueue?
        let ready = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { made = DispatchQueue(label: "q"); made!.async { ready.signal(); DispatchQueue.main.sync {} } }
        ready.wait()
        made!.sync {}
        return "went through"
    }, isAlone: true),
    Cell(name: "ends/main-cycle-by-barrier", run: {
        let q = DispatchQueue(label: "q", attributes: .concurrent)
        q.async { DispatchQueue.main.sync {} }
        q.sync(flags: .barrier) {}
        return "went through"
    }, isAlone: true),
    Cell(name: "ends/main-cycle-by-group", run: {
        let g = DispatchGroup()
        DispatchQueue(label: "q").async(group: g) { DispatchQueue.main.sync {} }
        g.wait()
        return "went through"
    }, isAlone: true),
    Cell(name: "ends/main-cycle-by-item", run: {
        let item = DispatchWorkItem { DispatchQueue.main.sync {} }
        DispatchQueue(label: "q").async(execute: item)
        item.wait()
        return "went through"
    }, isAlone: true),
    Cell(name: "ends/main-cycle-through-a-child-of-main", run: {
        let q = DispatchQueue(label: "q"), child = DispatchQueue(label: "child", target: .main)
        q.async { child.sync {} }
        q.sync {}
        return "went through"
    }, isAlone: true),
    Cell(name: "ends/group-wait-on-main-for-main", run: {
        let log = Log(), g = DispatchGroup()
        DispatchQueue.main.async { log.add("other") }
        DispatchQueue.main.async(group: g) { log.add("member") }
        DispatchQueue(label: "child", target: .main).async(group: g) { log.add("member") }
        log.add("\(g.wait(timeout: .now() + 0.1))")
        return log.text
    }, isAlone: true),
    Cell(name: "ends/item-wait-on-main-for-main", run: {
        let log = Log(), item = DispatchWorkItem { log.add("item") }
        DispatchQueue.main.async(execute: item)
        log.add("\(item.wait(timeout: .now() + 0.1))")
        return log.text
    }, isAlone: true),
    Cell(name: "ends/group-wait-on-main-for-others", run: {
        let log = Log(), g = DispatchGroup()
        DispatchQueue.main.async { log.add("main") }
        DispatchQueue.global().async(group: g) { log.add("member") }
        g.wait()
        log.add("\(g.wait(timeout: .now()))")
        return log.text
    }, isAlone: true),
    Cell(name: "ends/sync-on-child-of-main", run: {
        let used = DispatchSemaphore(value: 0), child = DispatchQueue(label: "child", target: .main)
        DispatchQueue.global().async { child.async {}; used.signal() }
        used.wait()
        child.sync {}
        return "went through"
    }, isAlone: true),
    Cell(name: "ends/main-actor-and-a-suspended-main", run: {
        let t = DispatchSource.makeTimerSource(queue: .main), child = DispatchQueue(label: "child", target: .main)
        t.setEventHandler {}; t.schedule(deadline: .now() + 0.01); t.resume()
        DispatchQueue.main.suspend()
        child.async {}
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { Task { @MainActor in print("main actor runs"); finish() } }
        dispatchMain()
    }, isAlone: true),
    Cell(name: "ends/main-submits-to-itself", run: {
        @Sendable func again() { DispatchQueue.main.async { again() } }
        again()
        Task { @MainActor in print("main actor runs"); finish() }
        dispatchMain()
    }, isAlone: true),
    Cell(name: "ends/dispatch-main-elsewhere", run: {
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { dispatchMain() }
        done.wait()
        return "returned"
    }, isAlone: true),
]
