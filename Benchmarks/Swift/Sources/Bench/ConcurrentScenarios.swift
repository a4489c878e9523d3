// ConcurrentScenarios.swift: readers and barriers, and loops, next to those of Dispatch. Names: ../../../driver/rows.py.

import CHarness
import Dispatch
import SerialQueue

/// What is measured, as a loop around the calls that a user would write (Contender.swift says why).
protocol ConcurrentContender: Sendable {
    init()

    /// `sync` of `count` closures that return a value; the sum of the values.
    func read(_ count: Int, from: Countdown) -> Int
    /// `count` barriers that are waited for; each counts up.
    func write(_ count: Int, counting: Countdown)
    /// `async` of `count` closures that share nothing, then a barrier that opens the gate.
    func submit(_ count: Int, counting: Countdown)
    /// `count` loops of `iterations` empty iterations.
    func loop(_ count: Int, iterations: Int)
}

func concurrentScenarios<C: ConcurrentContender>(of _: C.Type) -> [String: Scenario] {
    [
        "concurrent-read": { _ in
            alone(C.self) { contender, count, countdown in
                bench_expect("values that came back", UInt64(contender.read(count, from: countdown)), UInt64(count))
            }
        },
        "concurrent-barrier": { _ in alone(C.self) { $0.write($1, counting: $2) } },
        "concurrent-mixed": { raceOfReaders(C.self, threads: $0) },
        "concurrent-async": { _ in asyncToBarrier(C.self) },
        "apply": { iterations in loops(C.self, batch: 1, iterations: iterations, per: iterations) },
        "apply-call": { _ in loops(C.self, batch: 1_000, iterations: 2, per: 1) },
    ]
}

/// One thread, batches of 1,000 calls for 0.3 s, after one that warms up.
private func alone<C: ConcurrentContender>(_: C.Type, _ calls: (C, Int, Countdown) -> Void) {
    let contender = C(), countdown = Countdown()
    countdown.target = 1
    calls(contender, 1_000, countdown)
    var meter = bench_meter_t(), done = 0
    let end = bench_now() + bench_duration(300_000_000)
    bench_start(&meter)
    repeat {
        calls(contender, 1_000, countdown)
        done += 1_000
    } while bench_now() < end
    bench_stop(&meter, UInt64(done))
    bench_expect("barriers that ran", UInt64(countdown.counted), UInt64(countdown.counted == 0 ? 0 : done + 1_000))
    bench_report(&meter)
}

/// `threads` threads for 0.4 s; each time 99 reads and one barrier. Per call that any of them completed.
private func raceOfReaders<C: ConcurrentContender>(_: C.Type, threads: Int) {
    let contender = C(), countdown = Countdown(), crew = bench_crew_create(UInt32(threads)), done = bench_slots(threads)!
    nonisolated(unsafe) let slots = done  // each thread writes its own, and the crew's end is a barrier
    countdown.target = 1
    var meter = bench_meter_t()
    let end = bench_now() + bench_duration(400_000_000)
    bench_start(&meter)
    onEach(of: crew) { index in
        repeat {
            bench_expect("values that came back", UInt64(contender.read(99, from: countdown)), 99)
            contender.write(1, counting: countdown)
            slots[index].value += 100
        } while bench_now() < end
    }
    let total = (0..<threads).reduce(0) { $0 + done[$1].value }
    bench_stop(&meter, total)
    bench_expect("barriers that ran", UInt64(countdown.counted), total / 100)
    bench_report(&meter)
}

/// One thread submits 200,000 closures; to the end of the barrier behind them. The first pass warms up.
private func asyncToBarrier<C: ConcurrentContender>(_: C.Type) {
    let contender = C(), countdown = Countdown(), tasks = 200_000
    var meter = bench_meter_t(), pass = 0
    while pass < 3 || meter.wall < bench_duration(300_000_000) {
        if pass == 1 { meter = bench_meter_t() }
        bench_start(&meter)
        contender.submit(tasks, counting: countdown)
        bench_gate_pass(countdown.gate)
        bench_stop(&meter, UInt64(tasks))
        pass += 1
    }
    bench_expect("barriers that ran", UInt64(countdown.counted), UInt64(pass))
    bench_report(&meter)
}

/// Loops for 0.3 s, after a batch that warms up; in each `per` things are counted.
private func loops<C: ConcurrentContender>(_: C.Type, batch: Int, iterations: Int, per: Int) {
    let contender = C()
    contender.loop(batch, iterations: iterations)
    var meter = bench_meter_t(), done = 0
    let end = bench_now() + bench_duration(300_000_000)
    bench_start(&meter)
    repeat {
        contender.loop(batch, iterations: iterations)
        done += batch
    } while bench_now() < end
    bench_stop(&meter, UInt64(done * per))
    bench_report(&meter)
}

/// What an iteration does: nothing, but the optimizer does not know.
@inline(never) @_optimize(none)
private func iterate(_ index: Int) {}

struct OurConcurrent: ConcurrentContender {
    private let queue = ConcurrentQueue(label: "bench")

    func read(_ count: Int, from countdown: Countdown) -> Int {
        var sum = 0
        for _ in 0..<count {
            sum &+= queue.sync { countdown.target }
        }
        return sum
    }

    func write(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.syncBarrier { countdown.up() }
        }
    }

    func submit(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.async { iterate(countdown.target) }
        }
        queue.asyncBarrier {
            countdown.up()
            bench_gate_open(countdown.gate)
        }
    }

    func loop(_ count: Int, iterations: Int) {
        for _ in 0..<count {
            WorkerPool.shared.apply(iterations) { iterate($0) }
        }
    }
}

struct DispatchConcurrent: ConcurrentContender {
    private let queue = DispatchQueue(label: "bench", attributes: .concurrent)

    func read(_ count: Int, from countdown: Countdown) -> Int {
        var sum = 0
        for _ in 0..<count {
            sum &+= queue.sync { countdown.target }
        }
        return sum
    }

    func write(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.sync(flags: .barrier) { countdown.up() }
        }
    }

    func submit(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.async { iterate(countdown.target) }
        }
        queue.async(flags: .barrier) {
            countdown.up()
            bench_gate_open(countdown.gate)
        }
    }

    func loop(_ count: Int, iterations: Int) {
        for _ in 0..<count {
            DispatchQueue.concurrentPerform(iterations: iterations) { iterate($0) }
        }
    }
}
