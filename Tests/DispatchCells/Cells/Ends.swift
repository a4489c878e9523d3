import Dispatch

/// Cells that may end or hang the process.
let ends: [Cell] = [
    Cell(name: "ends/sync-on-itself", run: { let q = DispatchQueue(label: "q"); q.sync { q.sync {} }; return "went through" }, isAlone: true),
    Cell(name: "ends/sync-on-itself-from-async", run: { let q = DispatchQueue(label: "q"), d = DispatchSemaphore(value: 0); q.async { q.sync {}; d.signal() }; d.wait(); return "went through" }, isAlone: true),
    Cell(name: "ends/sync-cycle", run: { let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b"); a.sync { b.sync { a.sync {} } }; return "went through" }, isAlone: true),
    Cell(name: "ends/two-threads-cycle", run: {
        let a = DispatchQueue(label: "a"), b = DispatchQueue(label: "b"), met = DispatchSemaphore(value: 0), met2 = DispatchSemaphore(value: 0), d = DispatchSemaphore(value: 0)
        a.async { met.signal(); met2.wait(); b.sync {}; d.signal() }
        b.async { met2.signal(); met.wait(); a.sync {}; d.signal() }
        d.wait()
        return "went through"
    }, isAlone: true),
    Cell(name: "ends/barrier-in-closure", run: { let q = DispatchQueue(label: "q", attributes: .concurrent); q.sync { q.sync(flags: .barrier) {} }; return "went through" }, isAlone: true),
    Cell(name: "ends/concurrent-sync-in-closure", run: { let q = DispatchQueue(label: "q", attributes: .concurrent); q.sync { q.sync {} }; return "went through" }, isAlone: true),
    Cell(name: "ends/sync-on-target-from-child", run: { let t = DispatchQueue(label: "t"), q = DispatchQueue(label: "q", target: t); q.sync { t.sync {} }; return "went through" }, isAlone: true),
    Cell(name: "ends/sync-on-child-from-target", run: { let t = DispatchQueue(label: "t"), q = DispatchQueue(label: "q", target: t); t.sync { q.sync {} }; return "went through" }, isAlone: true),
    Cell(name: "ends/main-sync-on-main-thread", run: { DispatchQueue.main.sync {}; return "went through" }, isAlone: true),
    Cell(name: "ends/precondition-fails", run: { dispatchPrecondition(condition: .onQueue(DispatchQueue(label: "q"))); return "passed" }, isAlone: true),
    Cell(name: "ends/precondition-not-on-fails", run: { let q = DispatchQueue(label: "q"); q.sync { dispatchPrecondition(condition: .notOnQueue(q)) }; return "passed" }, isAlone: true),
    Cell(name: "ends/precondition-not-barrier", run: { let q = DispatchQueue(label: "q", attributes: .concurrent); q.sync { dispatchPrecondition(condition: .onQueueAsBarrier(q)) }; return "passed" }, isAlone: true),
    Cell(name: "ends/leave-too-often", run: { DispatchGroup().leave(); return "went through" }, isAlone: true),
    Cell(name: "ends/resume-too-often", run: { DispatchQueue(label: "q").resume(); return "went through" }, isAlone: true),
    Cell(name: "ends/resume-inactive", run: { let q = DispatchQueue(label: "q", attributes: .initiallyInactive); q.resume(); return q.sync { "ran" } }, isAlone: true),
    Cell(name: "ends/timer-resume-too-often", run: { let t = DispatchSource.makeTimerSource(); t.schedule(deadline: .distantFuture); t.resume(); t.resume(); return "went through" }, isAlone: true),
    Cell(name: "ends/release-suspended-queue", run: { do { let q = DispatchQueue(label: "q"); q.suspend() }; return "went through" }, isAlone: true),
    Cell(name: "ends/release-inactive-queue", run: { do { _ = DispatchQueue(label: "q", attributes: .initiallyInactive) }; return "went through" }, isAlone: true),
    Cell(name: "ends/release-inactive-timer", run: { do { _ = DispatchSource.makeTimerSource() }; return "went through" }, isAlone: true),
    Cell(name: "ends/release-suspended-timer", run: { do { let t = DispatchSource.makeTimerSource(); t.activate(); t.suspend() }; return "went through" }, isAlone: true),
    Cell(name: "ends/release-semaphore-in-use", run: { do { let s = DispatchSemaphore(value: 1); s.wait() }; return "went through" }, isAlone: true),
    Cell(name: "ends/release-entered-group", run: { do { let g = DispatchGroup(); g.enter() }; return "went through" }, isAlone: true),
    Cell(name: "ends/negative-semaphore", run: { _ = DispatchSemaphore(value: -1); return "went through" }, isAlone: true),
    Cell(name: "ends/group-wait-behind-caller", run: { let g = DispatchGroup(), q = DispatchQueue(label: "q"), d = DispatchSemaphore(value: 0); q.async { q.async(group: g) {}; g.wait(); d.signal() }; d.wait(); return "went through" }, isAlone: true),
    Cell(name: "ends/item-wait-behind-caller", run: { let q = DispatchQueue(label: "q"), d = DispatchSemaphore(value: 0), i = DispatchWorkItem {}; nonisolated(unsafe) let item = i; q.async { q.async(execute: item); item.wait(); d.signal() }; d.wait(); return "went through" }, isAlone: true),
    Cell(name: "ends/item-waited-twice", run: { let i = DispatchWorkItem {}; i.perform(); i.wait(); i.wait(); return "went through" }, isAlone: true),
    Cell(name: "ends/item-run-twice-and-waited", run: { let i = DispatchWorkItem {}; i.perform(); i.perform(); i.wait(); return "went through" }, isAlone: true),
    Cell(name: "ends/item-run-twice-and-notified", run: { let q = DispatchQueue(label: "q"), i = DispatchWorkItem {}; i.perform(); i.perform(); i.notify(queue: q) {}; q.sync {}; return "went through" }, isAlone: true),
    Cell(name: "ends/item-on-two-queues-and-waited", run: {
        let q = DispatchQueue(label: "q"), log = Log(), d = DispatchSemaphore(value: 0)
        nonisolated(unsafe) let item = DispatchWorkItem { log.add("ran"); d.signal() }
        q.async { DispatchQueue.global().async(execute: item); q.async(execute: item); log.add("\(item.wait(timeout: .now() + 5))") }
        d.wait(); d.wait()
        return log.text
    }, isAlone: true),
    Cell(name: "ends/dispatch-main", run: { DispatchQueue.main.async { dispatchPrecondition(condition: .onQueue(.main)); print("on main"); finish() }; dispatchMain() }, isAlone: true),
    Cell(name: "ends/dispatch-main-actor", run: { Task { @MainActor in MainActor.assertIsolated(); print("on the main actor"); DispatchQueue.main.async { finish() } }; dispatchMain() }, isAlone: true),
    Cell(name: "ends/main-sync-from-another", run: { DispatchQueue.global().async { let n = DispatchQueue.main.sync { 5 }; print(n); finish() }; dispatchMain() }, isAlone: true),
    Cell(name: "ends/main-after", run: { DispatchQueue.main.asyncAfter(deadline: .now() + 0.01) { print("late"); finish() }; dispatchMain() }, isAlone: true),
    Cell(name: "ends/main-assume-isolated", run: { DispatchQueue.main.async { MainActor.assumeIsolated { print("isolated") }; finish() }; dispatchMain() }, isAlone: true),
]
