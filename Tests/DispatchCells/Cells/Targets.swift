import Dispatch
import Glibc

/// Children of a target: they run in its turns, with all that belongs to these.
let targets: [Cell] = [
    Cell(name: "target/captures-are-released-in-its-turn") {
        let t = DispatchQueue(label: "t"), q = DispatchQueue(label: "q", target: t), k = DispatchSpecificKey<Int>(), log = Log()
        let gate = DispatchSemaphore(value: 0), done = DispatchSemaphore(value: 0)
        t.setSpecific(key: k, value: 7); q.setSpecific(key: k, value: 8)
        q.async { gate.must() }
        do {
            let token = Token { dispatchPrecondition(condition: .onQueue(t)); log.add("\(DispatchQueue.getSpecific(key: k) ?? 0)"); done.signal() }
            q.async { withExtendedLifetime(token) {} }
        }
        gate.signal(); done.must()
        return log.text
    },
    Cell(name: "target/children-release-one-at-a-time") {
        let t = DispatchQueue(label: "t"), g = DispatchGroup()
        nonisolated(unsafe) var count = 0
        for i in 0..<4 {
            let q = DispatchQueue(label: "\(i)", target: t)
            for _ in 0..<200 { let token = Token { count += 1 }; q.async(group: g) { withExtendedLifetime(token) {} } }
        }
        g.wait()
        return t.sync { "\(count)" }
    },
    Cell(name: "target/child-suspended-in-its-turn") {
        let t = DispatchQueue(label: "t"), q = DispatchQueue(label: "q", target: t), log = Log()
        t.sync { q.async { log.add("ran") }; usleep(5_000); q.suspend() }
        t.sync {}
        usleep(5_000)
        log.add("resumed")
        q.resume(); q.sync {}
        return log.text
    },
    Cell(name: "target/item-cancelled-in-its-turn") {
        let t = DispatchQueue(label: "t"), q = DispatchQueue(label: "q", target: t), log = Log(), i = DispatchWorkItem { log.add("ran") }
        t.sync { q.async(execute: i); usleep(5_000); i.cancel() }
        q.sync {}
        return "[\(log.text)]"
    },
    Cell(name: "target/children-hold-no-threads") {
        let t = DispatchQueue(label: "t"), g = DispatchGroup(), began = DispatchSemaphore(value: 0), gate = DispatchSemaphore(value: 0)
        t.async { began.signal(); gate.must() }
        began.must()
        let before = threads()
        for i in 0..<200 { DispatchQueue(label: "\(i)", target: t).async(group: g) {} }
        usleep(100_000)
        let more = threads() - before
        gate.signal(); g.wait()
        return more < 50 ? "few" : "\(more)"
    },
    Cell(name: "target/value-from-before") {
        let k = DispatchSpecificKey<Int>(), q = DispatchQueue(label: "q", attributes: .initiallyInactive), t = DispatchQueue(label: "t")
        q.setSpecific(key: k, value: 1); q.setTarget(queue: t); q.activate()
        return "\(q.sync { DispatchQueue.getSpecific(key: k) ?? 0 })"
    },
    Cell(name: "target/value-of-a-target-set-later") {
        let k = DispatchSpecificKey<Int>(), q = DispatchQueue(label: "q", attributes: .initiallyInactive), t = DispatchQueue(label: "t")
        t.setSpecific(key: k, value: 2); q.setTarget(queue: t); q.activate()
        return "\(q.sync { DispatchQueue.getSpecific(key: k) ?? 0 })"
    },
    Cell(name: "target/global-is-current") {
        let g = DispatchQueue.global(qos: .utility), q = DispatchQueue(label: "q", target: g), c = DispatchQueue(label: "c", target: q)
        q.sync { dispatchPrecondition(condition: .onQueue(g)); dispatchPrecondition(condition: .notOnQueue(DispatchQueue.global())) }
        c.sync { dispatchPrecondition(condition: .onQueue(g)) }
        return "passed"
    },
    Cell(name: "target/value-of-global") {
        let k = DispatchSpecificKey<Int>(), g = DispatchQueue.global(qos: .background), q = DispatchQueue(label: "q", target: g)
        g.setSpecific(key: k, value: 1)
        return "\(g.sync { DispatchQueue.getSpecific(key: k) ?? 0 }) \(q.sync { DispatchQueue.getSpecific(key: k) ?? 0 })"
    },
    Cell(name: "target/qos-of-serial") { "\(DispatchQueue(label: "q", target: DispatchQueue(label: "t", qos: .utility)).qos.qosClass)" },
    Cell(name: "target/class-of-its-own") {
        let nice = { (q: DispatchQueue) in
            let log = Log(), done = DispatchSemaphore(value: 0)
            q.async { log.add("\(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))"); done.signal() }
            done.must()
            return log.text
        }
        let q = DispatchQueue(label: "q", qos: .utility, target: .global(qos: .background))
        return "\(q.qos.qosClass) \(nice(q) == nice(.global(qos: .utility)))"
    },
    Cell(name: "target/suspend-main-is-none") { DispatchQueue.main.suspend(); DispatchQueue.main.resume(); DispatchQueue.main.resume(); return "nothing" },
    Cell(name: "target/suspended-twice-then-used") {
        let q = DispatchQueue(label: "q"), log = Log()
        q.suspend(); q.suspend(); q.async { log.add("ran") }; q.resume()
        usleep(5_000); log.add("resumed"); q.resume(); q.sync {}
        return log.text
    },
    Cell(name: "target/inactive-and-suspended") {
        let q = DispatchQueue(label: "q", attributes: .initiallyInactive), log = Log()
        q.suspend(); q.async { log.add("ran") }; q.activate()
        usleep(5_000); log.add("resumed"); q.resume(); q.sync {}
        return log.text
    },
    Cell(name: "target/barrier-of-a-concurrent-child") {
        let t = DispatchQueue(label: "t", attributes: .concurrent), q = DispatchQueue(label: "q", attributes: .concurrent, target: t), log = Log()
        q.async(flags: .barrier) { dispatchPrecondition(condition: .onQueueAsBarrier(q)); log.add("barrier") }
        q.sync { log.add("sync") }
        return log.text
    },
    Cell(name: "target/concurrent-children-at-the-same-time") {
        let t = DispatchQueue(label: "t", attributes: .concurrent), q = DispatchQueue(label: "q", attributes: .concurrent, target: t)
        let met = DispatchSemaphore(value: 0), gate = DispatchSemaphore(value: 0)
        q.async { gate.must() }
        q.async { met.signal() }
        let result = met.wait(timeout: .now() + 0.5)
        gate.signal()
        return "\(result)"
    },
    Cell(name: "target/barrier-of-a-concurrent-target") {
        let t = DispatchQueue(label: "t", attributes: .concurrent), q = DispatchQueue(label: "q", attributes: .concurrent, target: t), log = Log()
        let began = DispatchSemaphore(value: 0), done = DispatchSemaphore(value: 0)
        q.async { dispatchPrecondition(condition: .onQueue(t)); began.signal(); usleep(20_000); log.add("child") }
        began.must()
        t.async(flags: .barrier) { log.add("barrier"); done.signal() }
        done.must()
        return log.text
    },
    Cell(name: "target/barrier-of-a-concurrent-target-of-the-target") {
        let (t, s) = twoBelow(.init()), log = Log()
        let began = DispatchSemaphore(value: 0), done = DispatchSemaphore(value: 0)
        s.async { dispatchPrecondition(condition: .onQueue(t)); began.signal(); usleep(20_000); log.add("child") }
        began.must()
        t.async(flags: .barrier) { log.add("barrier"); done.signal() }
        done.must()
        return log.text
    },
    Cell(name: "target/suspended-target-of-the-target") {
        let (t, s) = twoBelow(.init()), log = Log(), done = DispatchSemaphore(value: 0)
        t.suspend(); s.async { log.add("ran"); done.signal() }
        usleep(20_000); log.add("resumed"); t.resume()
        done.must()
        return log.text
    },
    Cell(name: "target/values-two-below") {
        let k = DispatchSpecificKey<String>(), (t, s) = twoBelow(.init()), (u, c) = twoBelow(.concurrent)
        for (queue, value) in [(t, "t"), (u, "u"), (s, "s"), (c, "c")] { queue.setSpecific(key: k, value: value) }
        let found = [s, c, t, u].map { $0.sync { DispatchQueue.getSpecific(key: k) ?? "none" } }
        c.sync { dispatchPrecondition(condition: .onQueue(c)); dispatchPrecondition(condition: .onQueue(u)) }
        return found.joined(separator: " ")
    },
    Cell(name: "target/timer-two-below") {
        let k = DispatchSpecificKey<String>(), (t, s) = twoBelow(.init()), log = Log(), done = DispatchSemaphore(value: 0)
        s.setSpecific(key: k, value: "s")
        let timer = DispatchSource.makeTimerSource(queue: s)
        timer.schedule(deadline: .now())
        timer.setEventHandler { log.add(DispatchQueue.getSpecific(key: k) ?? "none"); done.signal() }
        t.suspend(); timer.resume()
        usleep(20_000); log.add("resumed"); t.resume()
        done.must()
        timer.cancel()
        return log.text
    },
    Cell(name: "value/sync-on-the-target-in-a-concurrent-child") {
        let k = DispatchSpecificKey<String>(), t = DispatchQueue(label: "t", attributes: .concurrent), log = Log(), done = DispatchSemaphore(value: 0)
        let q = DispatchQueue(label: "q", attributes: .concurrent, target: t)
        @Sendable func value() -> String { DispatchQueue.getSpecific(key: k) ?? "none" }
        t.setSpecific(key: k, value: "target"); q.setSpecific(key: k, value: "child")
        q.async { log.add(value()); t.sync { log.add(value()) }; t.sync { q.sync { log.add(value()) } }; log.add(value()); done.signal() }
        done.must()
        q.sync { log.add(value()); t.sync { log.add(value()) } }
        return log.text
    },
    Cell(name: "value/not-inherited-by-a-task") {
        let t = DispatchQueue(label: "t", attributes: .concurrent), q = DispatchQueue(label: "q", attributes: .concurrent, target: t)
        let k = DispatchSpecificKey<Int>(), log = Log(), done = DispatchSemaphore(value: 0)
        q.setSpecific(key: k, value: 1)
        q.sync { _ = Task { t.sync { log.add("\(DispatchQueue.getSpecific(key: k) ?? 0)") }; done.signal() } }
        done.must()
        return log.text
    },
    Cell(name: "ends/old-target-uses-the-queue", run: {
        let q = DispatchQueue(label: "q", attributes: .initiallyInactive), d = DispatchSemaphore(value: 0)
        do {
            let old = DispatchQueue(label: "old")
            old.setSpecific(key: DispatchSpecificKey<Token>(), value: Token { q.async {}; d.signal() })
            q.setTarget(queue: old)
        }
        q.setTarget(queue: DispatchQueue(label: "t")); d.must(); q.activate()
        return q.sync { "ran" }
    }, isAlone: true),
    Cell(name: "ends/old-target-uses-the-timer", run: {
        let timer = DispatchSource.makeTimerSource() as! DispatchSource, d = DispatchSemaphore(value: 0)
        do {
            let old = DispatchQueue(label: "old")
            old.setSpecific(key: DispatchSpecificKey<Token>(), value: Token { timer.suspend(); timer.resume(); d.signal() })
            timer.setTarget(queue: old)
        }
        timer.setTarget(queue: DispatchQueue(label: "t")); d.must(); timer.activate()
        return "activated"
    }, isAlone: true),
    Cell(name: "ends/sync-in-concurrent-child", run: { let t = DispatchQueue(label: "t", attributes: .concurrent), q = DispatchQueue(label: "q", attributes: .concurrent, target: t); q.sync { q.sync {} }; return "went through" }, isAlone: true),
    Cell(name: "ends/set-target-after-use", run: { let q = DispatchQueue(label: "q"), t = DispatchQueue(label: "t"); q.sync {}; q.setTarget(queue: t); return "set" }, isAlone: true),
    Cell(name: "ends/set-target-of-unused-concurrent", run: { let q = DispatchQueue(label: "q", attributes: .concurrent), t = DispatchQueue(label: "t"); q.setTarget(queue: t); return "set" }, isAlone: true),
    Cell(name: "ends/set-target-itself", run: { let q = DispatchQueue(label: "q", attributes: .initiallyInactive); q.setTarget(queue: q); return "set" }, isAlone: true),
    Cell(name: "ends/set-target-of-timer-after-start", run: { let t = DispatchSource.makeTimerSource(); t.activate(); (t as! DispatchSource).setTarget(queue: DispatchQueue(label: "t")); return "set" }, isAlone: true),
    Cell(name: "ends/precondition-barrier-in-async", run: {
        let q = DispatchQueue(label: "q", attributes: .concurrent), d = DispatchSemaphore(value: 0)
        q.async { dispatchPrecondition(condition: .onQueueAsBarrier(q)); d.signal() }
        d.wait()
        return "passed"
    }, isAlone: true),
    Cell(name: "precondition/barrier-async") {
        let q = DispatchQueue(label: "q", attributes: .concurrent), d = DispatchSemaphore(value: 0), inner = DispatchQueue(label: "inner")
        q.async(flags: .barrier) { inner.sync { dispatchPrecondition(condition: .onQueueAsBarrier(q)) }; d.signal() }
        d.must()
        return "passed"
    },
]

/// A concurrent queue, and one whose target has it as target.
private func twoBelow(_ attributes: DispatchQueue.Attributes) -> (DispatchQueue, DispatchQueue) {
    let t = DispatchQueue(label: "t", attributes: .concurrent), m = DispatchQueue(label: "m", attributes: .concurrent, target: t)
    return (t, DispatchQueue(label: "q", attributes: attributes, target: m))
}

/// How many threads the process has.
private func threads() -> Int {
    guard let folder = opendir("/proc/self/task") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
}
