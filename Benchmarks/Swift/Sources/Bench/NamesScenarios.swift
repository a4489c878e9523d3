// NamesScenarios.swift: one program with Dispatch's names, on Dispatch and on SerialQueueDispatch. Names: ../../../driver/rows.py.

import CHarness

/// What is measured, as a loop around the calls that a user would write (Contender.swift says why).
protocol NamesContender: Sendable {
    init()

    /// `count` closures; then the queue is drained.
    func async(_ count: Int, counting: Countdown)
    /// `count` closures, each waited for.
    func sync(_ count: Int, counting: Countdown)
    /// `count` closures as members; then a wait for the group.
    func group(_ count: Int, counting: Countdown)
    /// `count` closures that are due in 100 microseconds; then a wait for them.
    func after(_ count: Int, counting: Countdown)
}

func namesScenarios<C: NamesContender>(of _: C.Type) -> [String: Scenario] {
    [
        "names-async": { _ in measure(C.self) { $0.async($1, counting: $2) } },
        "names-sync": { _ in measure(C.self) { $0.sync($1, counting: $2) } },
        "names-group": { _ in measure(C.self) { $0.group($1, counting: $2) } },
        "names-after": { _ in measure(C.self) { $0.after($1, counting: $2) } },
    ]
}

/// Batches for 0.3 s, after one that warms up.
private func measure<C: NamesContender>(_: C.Type, _ turns: (C, Int, Countdown) -> Void) {
    let contender = C(), countdown = Countdown(), batch = 10_000
    turns(contender, batch, countdown)
    var meter = bench_meter_t(), done = 0
    let end = bench_now() + bench_duration(300_000_000)
    bench_start(&meter)
    repeat {
        turns(contender, batch, countdown)
        done += batch
    } while bench_now() < end
    bench_stop(&meter, UInt64(done))
    bench_expect("closures that ran", UInt64(countdown.counted), UInt64(done + batch))
    bench_report(&meter)
}
