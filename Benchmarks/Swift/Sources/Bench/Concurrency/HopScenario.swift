// HopScenario.swift: an awaited call to an actor. What differs is the executor that the actor names.

import CHarness

/// An actor that counts. Its executor is what is under test.
protocol Counter: Actor {
    var counted: Int { get }
    func up()
}

func hopScenarios<C: Counter>(on make: @escaping () -> C) -> [String: Scenario] {
    ["actor-hop": { hop(make(), callers: $0) }]
}

/// `callers` tasks on the global executor await 100,000 calls between them: to the actor and back again, for each.
private func hop<C: Counter>(_ counter: C, callers: Int) {
    let calls = 100_000 / callers
    nonisolated(unsafe) let returned = bench_slots(callers)!  // each caller writes its own; read after they have ended
    var meter = bench_meter_t(), passes = 0
    while passes < 3 || meter.wall < bench_duration(300_000_000) {
        if passes == 1 { meter = bench_meter_t() }  // the first pass warms up
        bench_start(&meter)
        waitFor {
            await withDiscardingTaskGroup { group in
                for caller in 0..<callers {
                    group.addTask {
                        for _ in 0..<calls {
                            await counter.up()
                            // Without something to do here the compiler leaves out the way back, and so the next way there.
                            returned[caller].value += 1
                        }
                    }
                }
            }
        }
        bench_stop(&meter, UInt64(calls * callers))
        passes += 1
    }
    let total = UInt64(passes * calls * callers)
    bench_expect("calls that returned", (0..<callers).reduce(0) { $0 + returned[$1].value }, total)
    waitFor { bench_expect("calls that came through", UInt64(await counter.counted), total) }
    bench_report(&meter)
}

/// Runs `work` in a task and blocks the calling thread, which is none of Swift concurrency's, until it has ended.
func waitFor(_ work: @escaping @Sendable () async -> Void) {
    let gate = Gate()
    Task.detached {
        await work()
        gate.open()
    }
    gate.pass()
}

/// The harness's gate, which blocks the thread that waits at it.
struct Gate: @unchecked Sendable {  // its operations may be called from any thread
    private let gate = bench_gate_create()

    func open() { bench_gate_open(gate) }
    func pass() { bench_gate_pass(gate) }
}
