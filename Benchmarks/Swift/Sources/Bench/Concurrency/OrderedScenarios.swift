// OrderedScenarios.swift: async closures that begin in order, submitted from a thread outside of Swift concurrency.

import CHarness

/// A queue of async closures under test. As in ../Contender.swift each method is a loop around the call that a user would
/// write, with a literal closure that runs on the queue.
protocol OrderedContender: Sendable {
    /// What the handles' tasks may fail with.
    associatedtype Failure: Error

    init()
    /// An item that blocks its thread until the gate opens: nothing behind it begins.
    func hold(at gate: Gate)
    /// `count` items without a handle, which count up.
    func enqueue(_ count: Int, counting: Countdown)
    /// `count` items with a task as handle, which count up.
    func tasks(_ count: Int, counting: Countdown) -> [Task<Void, Failure>]
    /// `count` times: an item with a handle, awaited at once.
    func roundTrips(_ count: Int, counting: Countdown) async
}

/// `kind`: the beginning of the scenarios' names.
func orderedScenarios<C: OrderedContender>(_ kind: String, of _: C.Type) -> [String: Scenario] {
    [
        kind: { _ in allAwaited(C.self) },
        "\(kind)-await": { _ in awaitedAtOnce(C.self) },
        "\(kind)-enqueue": { _ in withoutHandle(C.self) },
        "\(kind)-pending": { pending(C.self, count: $0) },
        "\(kind)-cancel": { pending(C.self, count: $0, cancels: true) },
    ]
}

/// Passes of `count` items until enough time has gone by; the first one warms up. At last the closures that ran are counted.
private func passes(of count: Int, counting countdown: Countdown, _ pass: () -> Void) {
    var meter = bench_meter_t(), done = 0
    while done < 3 || meter.wall < bench_duration(300_000_000) {
        if done == 1 { meter = bench_meter_t() }
        countdown.target += count
        bench_start(&meter)
        pass()
        bench_stop(&meter, UInt64(count))
        done += 1
    }
    bench_expect("closures that ran", UInt64(countdown.counted), UInt64(done * count))
    bench_report(&meter)
}

/// 100,000 items with a handle each, from the first submission until the last handle has been awaited.
private func allAwaited<C: OrderedContender>(_: C.Type) {
    let queue = C(), countdown = Countdown(), count = 100_000
    passes(of: count, counting: countdown) {
        awaitAll(queue.tasks(count, counting: countdown))
    }
}

private func awaitedAtOnce<C: OrderedContender>(_: C.Type) {
    let queue = C(), countdown = Countdown(), count = 20_000
    passes(of: count, counting: countdown) {
        waitFor { await queue.roundTrips(count, counting: countdown) }
    }
}

/// 100,000 items without a handle, until the last one has run.
private func withoutHandle<C: OrderedContender>(_: C.Type) {
    let queue = C(), countdown = Countdown(), count = 100_000
    passes(of: count, counting: countdown) {
        queue.enqueue(count, counting: countdown)
        bench_gate_pass(countdown.gate)
    }
}

/// `count` items with a handle each, submitted while the queue is held; if asked for, cancelled by their handles; then the
/// queue is released, until the last handle has been awaited.
private func pending<C: OrderedContender>(_: C.Type, count: Int, cancels: Bool = false) {
    let queue = C(), countdown = Countdown(), gate = Gate()
    passes(of: count, counting: countdown) {
        queue.hold(at: gate)
        let tasks = queue.tasks(count, counting: countdown)
        if cancels {
            for task in tasks { task.cancel() }
        }
        gate.open()
        awaitAll(tasks)
    }
}

private func awaitAll<Failure: Error>(_ tasks: [Task<Void, Failure>]) {
    waitFor {
        for task in tasks { _ = await task.result }
    }
}
