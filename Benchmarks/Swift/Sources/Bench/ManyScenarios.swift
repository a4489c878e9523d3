// ManyScenarios.swift: work items, groups and semaphores, next to those of Dispatch. Names: ../../../driver/rows.py.

import CHarness
import Dispatch
import SerialQueue

/// What is measured, as a loop around the calls that a user would write (Contender.swift says why).
protocol ManyContender: Sendable {
    init()

    /// `count` times: an item is made, submitted and waited for.
    func runItems(_ count: Int, counting: Countdown)
    /// `count` items are submitted to a held queue and cancelled; then the queue is drained.
    func cancelItems(_ count: Int, counting: Countdown)
    /// `count` times: enter, leave.
    func enterAndLeave(_ count: Int)
    /// `count` closures as members; then a wait for the group.
    func submitMembers(_ count: Int, counting: Countdown)
    /// `count` times: a member leaves, and its notification opens the gate, which is waited for.
    func notify(_ count: Int, counting: Countdown)
    /// `count` times: signal, wait.
    func signalAndWait(_ count: Int)
}

func manyScenarios<C: ManyContender>(of _: C.Type) -> [String: Scenario] {
    [
        "item": { _ in measureMany(C.self, batch: 100) { $0.runItems($1, counting: $2) } counted: { $0 } },
        "item-cancel": { _ in measureMany(C.self, batch: 1_000) { $0.cancelItems($1, counting: $2) } counted: { _ in 0 } },
        "group": { _ in measureMany(C.self, batch: 10_000) { contender, count, _ in contender.enterAndLeave(count) } counted: { _ in 0 } },
        "group-async": { _ in measureMany(C.self, batch: 10_000) { $0.submitMembers($1, counting: $2) } counted: { $0 } },
        "group-notify": { _ in measureMany(C.self, batch: 100) { $0.notify($1, counting: $2) } counted: { $0 } },
        "semaphore": { _ in measureMany(C.self, batch: 10_000) { contender, count, _ in contender.signalAndWait(count) } counted: { _ in 0 } },
    ]
}

/// Batches for 0.3 s, after one that warms up. `counted`: how many closures have run after so many turns.
private func measureMany<C: ManyContender>(
    _: C.Type, batch: Int, _ turns: (C, Int, Countdown) -> Void, counted: (Int) -> Int
) {
    let contender = C(), countdown = Countdown()
    turns(contender, batch, countdown)
    var meter = bench_meter_t(), done = 0
    let end = bench_now() + bench_duration(300_000_000)
    bench_start(&meter)
    repeat {
        turns(contender, batch, countdown)
        done += batch
    } while bench_now() < end
    bench_stop(&meter, UInt64(done))
    bench_expect("closures that ran", UInt64(countdown.counted), UInt64(counted(done + batch)))
    bench_report(&meter)
}

struct OurMany: ManyContender {
    private let queue = SerialQueue(label: "bench")
    private let group = WorkGroup()
    private let semaphore = Semaphore(value: 0)

    func runItems(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            let item = WorkItem { countdown.up() }
            queue.async(item)
            try! item.wait()
        }
    }

    func cancelItems(_ count: Int, counting countdown: Countdown) {
        queue.async { bench_gate_pass(countdown.gate) }
        for _ in 0..<count {
            let item = WorkItem { countdown.up() }
            queue.async(item)
            item.cancel()
        }
        bench_gate_open(countdown.gate)
        queue.sync {}
    }

    func enterAndLeave(_ count: Int) {
        for _ in 0..<count {
            group.enter()
            group.leave()
        }
    }

    func submitMembers(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.async(in: group) { countdown.up() }
        }
        group.wait()
    }

    func notify(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            group.enter()
            group.notify(on: queue) {
                countdown.up()
                bench_gate_open(countdown.gate)
            }
            group.leave()
            bench_gate_pass(countdown.gate)
        }
    }

    func signalAndWait(_ count: Int) {
        for _ in 0..<count {
            semaphore.signal()
            semaphore.wait()
        }
    }
}

struct DispatchMany: ManyContender {
    private let queue = DispatchQueue(label: "bench")
    private let group = DispatchGroup()
    private let semaphore = DispatchSemaphore(value: 0)

    func runItems(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            let item = DispatchWorkItem { countdown.up() }
            queue.async(execute: item)
            item.wait()
        }
    }

    func cancelItems(_ count: Int, counting countdown: Countdown) {
        queue.async { bench_gate_pass(countdown.gate) }
        for _ in 0..<count {
            let item = DispatchWorkItem { countdown.up() }
            queue.async(execute: item)
            item.cancel()
        }
        bench_gate_open(countdown.gate)
        queue.sync {}
    }

    func enterAndLeave(_ count: Int) {
        for _ in 0..<count {
            group.enter()
            group.leave()
        }
    }

    func submitMembers(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.async(group: group) { countdown.up() }
        }
        group.wait()
    }

    func notify(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            group.enter()
            group.notify(queue: queue) {
                countdown.up()
                bench_gate_open(countdown.gate)
            }
            group.leave()
            bench_gate_pass(countdown.gate)
        }
    }

    func signalAndWait(_ count: Int) {
        for _ in 0..<count {
            semaphore.signal()
            semaphore.wait()
        }
    }
}
