// Scenarios.swift: the scenarios, the same lines for every contender. Names: ../../../driver/rows.py.

import CHarness

/// A scenario takes the number behind its name: "async-4" is "async" with 4.
typealias Scenario = (Int) -> Void

/// Every scenario that a queue with `async` and `sync` can run.
func scenarios<C: Contender>(of _: C.Type) -> [String: Scenario] {
    [
        "async": { asyncToDrain(C.self, threads: $0) },
        "sync-uncontended": { _ in syncUncontended(C.self) },
        "sync-value": { _ in syncValue(C.self) },
        "sync-contended": { race(C.self, threads: $0, tasksPerTurn: 1) { $0.synchronize(16, counting: $1) } },
        "async-sync": { race(C.self, threads: $0, tasksPerTurn: 2) { $0.mix(16, asyncs: 1, counting: $1) } },
        "mixed": { asyncs in
            race(C.self, threads: 1, tasksPerTurn: asyncs + 1) { $0.mix(16, asyncs: asyncs, counting: $1) }
        },
    ]
}

/// `threads` threads submit 200,000 closures between them; to the end of the drain. The first pass warms up.
private func asyncToDrain<C: Contender>(_: C.Type, threads: Int) {
    let queue = C(), countdown = Countdown(), tasks = 200_000 / threads * threads
    let crew = bench_crew_create(UInt32(threads))
    var meter = bench_meter_t(), pass = 0
    while pass < 3 || meter.wall < bench_duration(300_000_000) {
        if pass == 1 { meter = bench_meter_t() }
        countdown.target += tasks
        bench_start(&meter)
        onEach(of: crew) { _ in queue.submit(tasks / threads, counting: countdown) }
        bench_gate_pass(countdown.gate)
        bench_stop(&meter, UInt64(tasks))
        pass += 1
    }
    queue.synchronize(1, counting: countdown)
    bench_expect("closures that ran", UInt64(countdown.counted), UInt64(countdown.target + 1))
    bench_report(&meter)
}

private func syncUncontended<C: Contender>(_: C.Type) {
    let queue = C(), countdown = Countdown()
    var meter = bench_meter_t(), done = 1000
    queue.synchronize(done, counting: countdown)
    let end = bench_now() + bench_duration(300_000_000)
    bench_start(&meter)
    repeat {
        queue.synchronize(1000, counting: countdown)
        done += 1000
    } while bench_now() < end
    bench_stop(&meter, UInt64(done - 1000))
    bench_expect("closures that ran", UInt64(countdown.counted), UInt64(done))
    bench_report(&meter)
}

private func syncValue<C: Contender>(_: C.Type) {
    let queue = C(), countdown = Countdown()
    var meter = bench_meter_t(), done = 0, sum = 0
    countdown.target = 1
    let end = bench_now() + bench_duration(300_000_000)
    bench_start(&meter)
    repeat {
        sum += queue.read(1000, from: countdown)
        done += 1000
    } while bench_now() < end
    bench_stop(&meter, UInt64(done))
    bench_expect("values that came back", UInt64(sum), UInt64(done))
    bench_report(&meter)
}

/// `threads` threads take 16 turns at a time, without pause for 0.4 s; per turn that any of them completed.
private func race<C: Contender>(
    _: C.Type, threads: Int, tasksPerTurn: Int, turns: @escaping @Sendable (C, Countdown) -> Void
) {
    let queue = C(), countdown = Countdown(), crew = bench_crew_create(UInt32(threads))
    let done = bench_slots(threads)!
    nonisolated(unsafe) let slots = done  // each thread writes its own, and the crew's end is a barrier
    var meter = bench_meter_t()
    let end = bench_now() + bench_duration(400_000_000)
    bench_start(&meter)
    onEach(of: crew) { index in
        repeat {
            turns(queue, countdown)
            slots[index].value += 16
        } while bench_now() < end
    }
    let total = (0..<threads).reduce(0) { $0 + done[$1].value }
    bench_stop(&meter, total)
    bench_expect("closures that ran", UInt64(countdown.counted), total * UInt64(tasksPerTurn))
    bench_report(&meter)
}

/// Runs `work` on every thread of the crew, the caller one of them, and returns when all are done.
func onEach(of crew: OpaquePointer?, _ work: @escaping @Sendable (Int) -> Void) {
    final class Box {
        let work: @Sendable (Int) -> Void
        init(_ work: @escaping @Sendable (Int) -> Void) { self.work = work }
    }
    let box = Box(work)
    withExtendedLifetime(box) {
        bench_crew_run(
            crew,
            { index, context in Unmanaged<Box>.fromOpaque(context!).takeUnretainedValue().work(Int(index)) },
            Unmanaged.passUnretained(box).toOpaque()
        )
    }
}
