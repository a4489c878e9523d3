import Dispatch
import Glibc

/// Properties of queues, values, orders between queues.
let queues: [Cell] = [
    Cell(name: "queue/label") { DispatchQueue(label: "com.example.q").label },
    Cell(name: "queue/label-main") { DispatchQueue.main.label },
    Cell(name: "queue/label-global") { "\(DispatchQueue.global().label) \(DispatchQueue.global(qos: .utility).label)" },
    Cell(name: "queue/label-classes") { [.background, .userInitiated, .userInteractive, .unspecified].map { (q: DispatchQoS.QoSClass) in DispatchQueue.global(qos: q).label }.joined(separator: " ") },
    Cell(name: "queue/qos-default") { "\(DispatchQueue(label: "q").qos.qosClass)" },
    Cell(name: "queue/qos-utility") { "\(DispatchQueue(label: "q", qos: .utility).qos.qosClass)" },
    Cell(name: "queue/qos-priority") { "\(DispatchQueue(label: "q", qos: DispatchQoS(qosClass: .utility, relativePriority: -3)).qos.relativePriority)" },
    Cell(name: "queue/qos-of-each-class") {
        let classes: [DispatchQoS] = [.background, .utility, .default, .userInitiated, .userInteractive, .unspecified]
        return classes.map { "\(DispatchQueue(label: "q", qos: $0).qos.qosClass)" }.joined(separator: " ")
    },
    Cell(name: "queue/qos-priorities") {
        [5, 1, 0, -1, -15, -16, -100].map {
            let qos = DispatchQueue(label: "q", qos: DispatchQoS(qosClass: .utility, relativePriority: $0)).qos
            return "\(qos.qosClass)\(qos.relativePriority)"
        }.joined(separator: " ")
    },
    Cell(name: "queue/qos-unspecified-priorities") {
        [1, 0, -1].map {
            let qos = DispatchQueue(label: "q", qos: DispatchQoS(qosClass: .unspecified, relativePriority: $0)).qos
            return "\(qos.qosClass)\(qos.relativePriority)"
        }.joined(separator: " ")
    },
    Cell(name: "queue/qos-invalid-with-target") {
        let q = DispatchQueue(label: "q", qos: DispatchQoS(qosClass: .background, relativePriority: 1), target: .global(qos: .utility))
        return "\(q.qos.qosClass)\(q.qos.relativePriority)"
    },
    Cell(name: "queue/qos-interactive-with-target") {
        let q = DispatchQueue(label: "q", qos: .userInteractive, target: .global(qos: .utility))
        return "\(q.qos.qosClass)\(q.qos.relativePriority)"
    },
    Cell(name: "queue/qos-global") { "\(DispatchQueue.global(qos: .background).qos.qosClass) \(DispatchQueue.global().qos.qosClass)" },
    Cell(name: "queue/qos-main") { "\(DispatchQueue.main.qos.qosClass)" },
    Cell(name: "queue/qos-of-target") { "\(DispatchQueue(label: "q", target: .global(qos: .utility)).qos.qosClass)" },
    Cell(name: "queue/same-main") { "\(DispatchQueue.main === DispatchQueue.main)" },
    Cell(name: "queue/same-global") { "\(DispatchQueue.global() === DispatchQueue.global())" },
    Cell(name: "queue/other-global") { "\(DispatchQueue.global(qos: .utility) === DispatchQueue.global())" },
    Cell(name: "queue/autorelease") { DispatchQueue(label: "q", autoreleaseFrequency: .workItem).sync { "ran" } },
    Cell(name: "value/own") { let k = DispatchSpecificKey<Int>(), q = DispatchQueue(label: "q"); q.setSpecific(key: k, value: 1); return "\(q.getSpecific(key: k) ?? 0)" },
    Cell(name: "value/outside") { let k = DispatchSpecificKey<Int>(), q = DispatchQueue(label: "q"); q.setSpecific(key: k, value: 1); return "\(DispatchQueue.getSpecific(key: k) ?? 0)" },
    Cell(name: "value/removed") { let k = DispatchSpecificKey<Int>(), q = DispatchQueue(label: "q"); q.setSpecific(key: k, value: 1); q.setSpecific(key: k, value: nil); return "\(q.sync { DispatchQueue.getSpecific(key: k) ?? 0 })" },
    Cell(name: "value/replaced") { let k = DispatchSpecificKey<Int>(), q = DispatchQueue(label: "q"); q.setSpecific(key: k, value: 1); q.setSpecific(key: k, value: 2); return "\(q.sync { DispatchQueue.getSpecific(key: k) ?? 0 })" },
    Cell(name: "value/two-keys") { let k = DispatchSpecificKey<Int>(), l = DispatchSpecificKey<String>(), q = DispatchQueue(label: "q"); q.setSpecific(key: k, value: 1); q.setSpecific(key: l, value: "x"); return q.sync { "\(DispatchQueue.getSpecific(key: k) ?? 0) \(DispatchQueue.getSpecific(key: l) ?? "")" } },
    Cell(name: "value/nested-sync-inner-has") { let k = DispatchSpecificKey<Int>(), a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b"); b.setSpecific(key: k, value: 2); return "\(a.sync { b.sync { DispatchQueue.getSpecific(key: k) ?? 0 } })" },
    Cell(name: "value/nested-sync-outer-has") { let k = DispatchSpecificKey<Int>(), a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b"); a.setSpecific(key: k, value: 1); return "\(a.sync { b.sync { DispatchQueue.getSpecific(key: k) ?? 0 } })" },
    Cell(name: "value/nested-async-outer-has") { let k = DispatchSpecificKey<Int>(), a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b"), log = Log(), d = DispatchSemaphore(value: 0); a.setSpecific(key: k, value: 1); a.async { b.sync { log.add("\(DispatchQueue.getSpecific(key: k) ?? 0)") }; d.signal() }; d.must(); return log.text },
    Cell(name: "value/of-target") { let k = DispatchSpecificKey<Int>(), t = DispatchQueue(label: "t"), q = DispatchQueue(label: "q", target: t); t.setSpecific(key: k, value: 3); return "\(q.sync { DispatchQueue.getSpecific(key: k) ?? 0 })" },
    Cell(name: "value/of-target-asked-of-child") { let k = DispatchSpecificKey<Int>(), t = DispatchQueue(label: "t"), q = DispatchQueue(label: "q", target: t); t.setSpecific(key: k, value: 3); return "\(q.getSpecific(key: k) ?? 0)" },
    Cell(name: "value/child-before-target") { let k = DispatchSpecificKey<Int>(), t = DispatchQueue(label: "t"), q = DispatchQueue(label: "q", target: t); t.setSpecific(key: k, value: 3); q.setSpecific(key: k, value: 4); return "\(q.sync { DispatchQueue.getSpecific(key: k) ?? 0 }) \(t.sync { DispatchQueue.getSpecific(key: k) ?? 0 })" },
    Cell(name: "value/while-captures-are-released") {
        let k = DispatchSpecificKey<Int>(), log = Log(), done = DispatchSemaphore(value: 0), gate = DispatchSemaphore(value: 0)
        do {
            let q = DispatchQueue(label: "q")
            // The closure has the last references when it runs.
            q.async { gate.must() }
            q.setSpecific(key: k, value: 5)
            let token = Token { log.add("\(DispatchQueue.getSpecific(key: k) ?? 0)"); done.signal() }
            q.async { withExtendedLifetime(token) {} }
        }
        gate.signal()
        done.must()
        return log.text
    },
    Cell(name: "target/children-exclude-each-other") {
        let t = DispatchQueue(label: "t"), a = DispatchQueue(label: "a", target: t), b = DispatchQueue(label: "b", attributes: .concurrent, target: t)
        nonisolated(unsafe) var count = 0
        let g = DispatchGroup()
        for _ in 0..<500 { a.async(group: g) { count += 1 }; b.async(group: g) { count += 1 }; t.async(group: g) { count += 1 } }
        g.wait()
        return t.sync { "\(count)" }
    },
    Cell(name: "target/three-levels") { let t = DispatchQueue(label: "t"), m = DispatchQueue(label: "m", target: t), q = DispatchQueue(label: "q", target: m); return q.sync { dispatchPrecondition(condition: .onQueue(t)); dispatchPrecondition(condition: .onQueue(m)); return "on all" } },
    Cell(name: "target/suspended") {
        let t = DispatchQueue(label: "t"), q = DispatchQueue(label: "q", target: t), log = Log(), done = DispatchSemaphore(value: 0)
        t.suspend(); q.async { log.add("ran"); done.signal() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { log.add("resumed"); t.resume() }
        done.must()
        return log.text
    },
    Cell(name: "target/set-inactive") { let t = DispatchQueue(label: "t"), q = DispatchQueue(label: "q", attributes: .initiallyInactive); q.setTarget(queue: t); q.activate(); return q.sync { dispatchPrecondition(condition: .onQueue(t)); return "on target" } },
    Cell(name: "precondition/on") { let q = DispatchQueue(label: "q"); return q.sync { dispatchPrecondition(condition: .onQueue(q)); return "passed" } },
    Cell(name: "precondition/not-on") { let q = DispatchQueue(label: "q"); dispatchPrecondition(condition: .notOnQueue(q)); return "passed" },
    Cell(name: "precondition/nested") { let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b"); return a.sync { b.sync { dispatchPrecondition(condition: .onQueue(a)); return "passed" } } },
    Cell(name: "precondition/barrier") { let q = DispatchQueue(label: "q", attributes: .concurrent); return q.sync(flags: .barrier) { dispatchPrecondition(condition: .onQueueAsBarrier(q)); return "passed" } },
    Cell(name: "precondition/main-outside-closures") { dispatchPrecondition(condition: .onQueue(DispatchQueue.main)); return "passed" },
    Cell(name: "perform/none") { let log = Log(); DispatchQueue.concurrentPerform(iterations: 0) { _ in log.add("x") }; return "[\(log.text)]" },
    Cell(name: "perform/each-once") { let log = Log(); DispatchQueue.concurrentPerform(iterations: 20) { i in log.add("\(i)") }; return log.sorted },
    Cell(name: "perform/nested") { let log = Log(); DispatchQueue.concurrentPerform(iterations: 3) { i in DispatchQueue.concurrentPerform(iterations: 2) { j in log.add("\(i)\(j)") } }; return log.sorted },
    Cell(name: "perform/in-serial") { let log = Log(), q = DispatchQueue(label: "q"); q.sync { DispatchQueue.concurrentPerform(iterations: 3) { i in log.add("\(i)") } }; return log.sorted },
    Cell(name: "global/barrier-is-none") {
        let began = DispatchSemaphore(value: 0), gate = DispatchSemaphore(value: 0), ran = DispatchSemaphore(value: 0), q = DispatchQueue.global(qos: .utility)
        q.async { began.signal(); gate.must() }
        began.must()
        q.async(flags: .barrier) { ran.signal() }
        let result = ran.wait(timeout: .now() + 20)
        gate.signal()
        return "\(result)"
    },
    Cell(name: "global/suspend-is-none") { let q = DispatchQueue.global(qos: .background), d = DispatchSemaphore(value: 0); q.suspend(); q.async { d.signal() }; d.must(); q.resume(); return "ran" },
    Cell(name: "order/after-same-queue") {
        let q = DispatchQueue(label: "q"), log = Log(), d = DispatchSemaphore(value: 0)
        q.asyncAfter(deadline: .now() + 0.05) { log.add("late"); d.signal() }
        q.asyncAfter(deadline: .now() + 0.005) { log.add("early"); d.signal() }
        d.must(); d.must()
        return log.text
    },
    Cell(name: "order/release-of-captures-before-next") {
        let q = DispatchQueue(label: "q"), log = Log()
        q.suspend()
        do { let token = Token { log.add("released") }; q.async { log.add("first"); withExtendedLifetime(token) {} } }
        q.async { log.add("second") }
        q.resume(); q.sync {}
        return log.text
    },
    Cell(name: "order/barrier-after") { order { q, work in q.asyncAfter(deadline: .now(), flags: .barrier) { work() } } },
    Cell(name: "order/barrier-of-group") {
        order { q, work in
            let g = DispatchGroup()
            g.enter(); g.notify(flags: .barrier, queue: q) { work() }; g.leave()
        }
    },
    Cell(name: "order/barrier-of-item") {
        order { q, work in
            let i = DispatchWorkItem {}
            i.notify(queue: q, execute: DispatchWorkItem(flags: .barrier) { work() }); i.perform()
        }
    },
]

/// Submits a barrier to a suspended concurrent queue, then a closure that is none.
private func order(_ submit: (DispatchQueue, @escaping @Sendable () -> Void) -> Void) -> String {
    let q = DispatchQueue(label: "q", attributes: .concurrent), log = Log(), done = DispatchSemaphore(value: 0)
    q.suspend()
    submit(q) { usleep(5_000); log.add("barrier"); done.signal() }
    q.async { log.add("after"); done.signal() }
    q.resume(); done.must(); done.must()
    return log.text
}
