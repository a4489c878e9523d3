import Dispatch

/// Groups, semaphores, items and timers in their states.
let objects: [Cell] = [
    Cell(name: "semaphore/signal-none-waits") { "\(DispatchSemaphore(value: 0).signal())" },
    Cell(name: "semaphore/wait-value") { let s = DispatchSemaphore(value: 1); s.wait(); s.signal(); return "returned" },
    Cell(name: "semaphore/wait-now") { "\(DispatchSemaphore(value: 0).wait(timeout: .now()))" },
    Cell(name: "semaphore/wait-now-value") { let s = DispatchSemaphore(value: 1); s.signal(); return "\(s.wait(timeout: .now()))" },
    Cell(name: "semaphore/wait-timeout") { "\(DispatchSemaphore(value: 0).wait(timeout: .now() + 0.01))" },
    Cell(name: "semaphore/wait-wall") { "\(DispatchSemaphore(value: 0).wait(wallTimeout: .now() + 0.01))" },
    Cell(name: "semaphore/wait-forever") {
        let s = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { s.signal() }
        return "\(s.wait(timeout: .distantFuture))"
    },
    Cell(name: "group/wait-empty") { "\(DispatchGroup().wait(timeout: .now()))" },
    Cell(name: "group/wait-entered") { let g = DispatchGroup(); g.enter(); defer { g.leave() }; return "\(g.wait(timeout: .now() + 0.01))" },
    Cell(name: "group/wait-wall") { let g = DispatchGroup(); g.enter(); defer { g.leave() }; return "\(g.wait(wallTimeout: .now() + 0.01))" },
    Cell(name: "group/wait-left") { let g = DispatchGroup(); g.enter(); g.leave(); return "\(g.wait(timeout: .now()))" },
    Cell(name: "group/again") {
        let g = DispatchGroup(), log = Log()
        for i in 0..<3 { DispatchQueue.global().async(group: g) { log.add("\(i)") }; g.wait(); log.add("|") }
        return log.text
    },
    Cell(name: "group/notify-order") {
        let g = DispatchGroup(), q = DispatchQueue(label: "q"), log = Log()
        g.enter()
        for i in 0..<3 { g.notify(queue: q) { log.add("\(i)") } }
        q.sync {}
        log.add("leave")
        g.leave()
        q.sync {}
        return log.text
    },
    Cell(name: "group/notify-barrier") {
        let g = DispatchGroup(), q = DispatchQueue(label: "q", attributes: .concurrent), done = DispatchSemaphore(value: 0)
        g.notify(flags: .barrier, queue: q) { dispatchPrecondition(condition: .onQueueAsBarrier(q)); done.signal() }
        done.must()
        return "ran"
    },
    Cell(name: "group/cancelled-item") {
        let g = DispatchGroup(), q = DispatchQueue(label: "q"), item = DispatchWorkItem { fatalError("ran") }
        q.suspend()
        q.async(group: g, execute: item)
        item.cancel()
        let before = g.wait(timeout: .now() + 0.01)
        q.resume()
        return "\(before) \(g.wait(timeout: far))"
    },
    Cell(name: "group/timed-wait-behind-caller") {
        let g = DispatchGroup(), q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0)
        q.async {
            q.async(group: g) {}
            log.add("\(g.wait(timeout: .now() + 0.02))")
            done.signal()
        }
        done.must()
        return log.text
    },
    Cell(name: "item/perform") { let log = Log(); DispatchWorkItem { log.add("ran") }.perform(); return log.text },
    Cell(name: "item/perform-twice") { let log = Log(), i = DispatchWorkItem { log.add("ran") }; i.perform(); i.perform(); return log.text },
    Cell(name: "item/perform-cancelled") { let log = Log(), i = DispatchWorkItem { log.add("ran") }; i.cancel(); i.perform(); return "[\(log.text)]" },
    Cell(name: "item/perform-wait") { let i = DispatchWorkItem {}; i.perform(); return "\(i.wait(timeout: .now() + 1))" },
    Cell(name: "item/wait-unsubmitted") { let i = DispatchWorkItem {}; return "\(i.wait(timeout: .now() + 0.01))" },
    Cell(name: "item/wait-wall") { let i = DispatchWorkItem {}; return "\(i.wait(wallTimeout: .now() + 0.01))" },
    Cell(name: "item/wait-cancelled-unsubmitted") { let i = DispatchWorkItem {}; i.cancel(); return "\(i.wait(timeout: .now() + 0.01))" },
    Cell(name: "item/submitted-twice") {
        let q = DispatchQueue(label: "q"), log = Log(), i = DispatchWorkItem { log.add("ran") }
        q.async(execute: i); q.async(execute: i); q.sync {}
        return log.text
    },
    Cell(name: "item/submitted-again") {
        let q = DispatchQueue(label: "q"), log = Log(), i = DispatchWorkItem { log.add("ran") }
        q.sync(execute: i); q.sync(execute: i); q.async(execute: i); q.sync {}
        return log.text
    },
    Cell(name: "item/cancelled-before") {
        let q = DispatchQueue(label: "q"), log = Log(), i = DispatchWorkItem { log.add("ran") }
        i.cancel(); q.async(execute: i); q.sync {}
        return "[\(log.text)] \(i.isCancelled) \(i.wait(timeout: .now() + 1))"
    },
    Cell(name: "item/cancelled-pending") {
        let q = DispatchQueue(label: "q"), log = Log(), i = DispatchWorkItem { log.add("ran") }
        q.suspend(); q.async(execute: i); i.cancel()
        let early = i.wait(timeout: .now() + 0.01)
        q.resume(); q.sync {}
        return "[\(log.text)] \(early)"
    },
    Cell(name: "item/cancelled-while-it-runs") {
        let q = DispatchQueue(label: "q"), log = Log(), gate = DispatchSemaphore(value: 0), began = DispatchSemaphore(value: 0)
        let i = DispatchWorkItem { began.signal(); gate.must(); log.add("ended") }
        q.async(execute: i); began.must(); i.cancel(); gate.signal(); q.sync {}
        return "\(log.text) \(i.isCancelled)"
    },
    Cell(name: "item/cancelled-late") { let i = DispatchWorkItem {}; i.perform(); i.cancel(); return "\(i.isCancelled)" },
    Cell(name: "item/notify-after-run") {
        let q = DispatchQueue(label: "q"), log = Log(), i = DispatchWorkItem {}
        i.perform(); i.notify(queue: q) { log.add("notified") }; q.sync {}
        return log.text
    },
    Cell(name: "item/notify-cancelled") {
        let q = DispatchQueue(label: "q"), log = Log(), i = DispatchWorkItem { log.add("ran") }
        i.notify(queue: q) { log.add("notified") }; i.cancel(); i.perform(); q.sync {}
        return log.text
    },
    Cell(name: "item/notify-item") {
        let q = DispatchQueue(label: "q"), log = Log(), i = DispatchWorkItem { log.add("first") }
        i.notify(queue: q, execute: DispatchWorkItem { log.add("second") }); q.sync(execute: i); q.sync {}
        return log.text
    },
    Cell(name: "item/after-cancelled") {
        let q = DispatchQueue(label: "q"), log = Log(), i = DispatchWorkItem { log.add("ran") }, done = DispatchSemaphore(value: 0)
        q.asyncAfter(deadline: .now() + 0.01, execute: i); i.cancel()
        q.asyncAfter(deadline: .now() + 0.02) { done.signal() }
        done.must()
        return "[\(log.text)]"
    },
    Cell(name: "timer/repeats") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0)
        let t = DispatchSource.makeTimerSource(queue: q)
        t.schedule(deadline: .now(), repeating: .milliseconds(1))
        t.setEventHandler { log.add("fired"); if log.count == 3 { t.cancel(); done.signal() } }
        t.setCancelHandler { log.add("cancelled"); done.signal() }
        t.resume(); done.must(); done.must()
        return "\(log.text) \(t.isCancelled)"
    },
    Cell(name: "timer/activate") {
        let q = DispatchQueue(label: "q"), done = DispatchSemaphore(value: 0), t = DispatchSource.makeTimerSource(queue: q)
        t.schedule(deadline: .now() + 0.001, repeating: 3600.0); t.setEventHandler { done.signal() }
        t.activate(); t.activate(); done.must(); t.cancel()
        return "fired"
    },
    Cell(name: "timer/registration") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0)
        let t = DispatchSource.makeTimerSource(queue: q)
        t.schedule(deadline: .now() + 0.01)
        t.setRegistrationHandler { log.add("registered") }
        t.setEventHandler { log.add("fired"); done.signal() }
        t.resume(); done.must(); t.cancel()
        return log.text
    },
    Cell(name: "timer/cancelled-inactive") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0)
        let t = DispatchSource.makeTimerSource(queue: q)
        t.schedule(deadline: .now()); t.setEventHandler { log.add("fired") }
        t.setCancelHandler { log.add("cancelled"); done.signal() }
        t.cancel(); q.sync {}; log.add("resume"); t.resume(); done.must()
        return log.text
    },
    Cell(name: "timer/suspended-counts") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0)
        let t = DispatchSource.makeTimerSource(queue: q)
        t.schedule(deadline: .now(), repeating: .milliseconds(5))
        t.setEventHandler { log.add(t.data >= 3 ? "many" : "few"); t.cancel(); done.signal() }
        let late = DispatchSemaphore(value: 0)
        t.activate(); t.suspend()
        _ = late.wait(timeout: .now() + 0.05)
        q.sync {}
        t.resume(); done.must()
        return log.count == 1 ? "once" : log.text
    },
    Cell(name: "timer/properties") { let t = DispatchSource.makeTimerSource(); t.schedule(deadline: .distantFuture); t.resume(); return "\(t.isCancelled) \(t.data)" },
    Cell(name: "timer/event-item") {
        let q = DispatchQueue(label: "q"), done = DispatchSemaphore(value: 0), t = DispatchSource.makeTimerSource(queue: q)
        t.schedule(wallDeadline: .now()); t.setEventHandler(handler: DispatchWorkItem { done.signal() }); t.resume(); done.must(); t.cancel()
        return "fired"
    },
]
