import Testing

@testable import SerialQueue
@testable import SerialQueueOrdered

@Suite(.timeLimit(.minutes(15))) struct FIFOQueueCancelTests {
    @Test func cancel_all_reaches_what_runs_and_what_waits_and_nothing_later() async {
        let queue = FIFOQueue()
        let begun = AsyncGate(), seen = Counter(), notSeen = Counter()
        queue.enqueue {
            begun.open()
            while !Task.isCancelled { await Task.yield() }
            seen.increment()
        }
        await begun.pass()
        let gate = AsyncGate()
        queue.enqueue { await gate.pass() }
        for _ in 0..<100_000 {
            queue.enqueue { (Task.isCancelled ? seen : notSeen).increment() }
        }
        queue.cancelAll()
        for _ in 0..<10 {
            queue.enqueue { if !Task.isCancelled { notSeen.increment() } }
        }
        gate.open()
        await queue.drain()
        #expect(seen.value == 100_001)
        #expect(notSeen.value == 10)
    }

    /// `cancelAll` does not visit waiting tasks: a list of them would cost time for each task.
    @Test func a_waiting_task_is_cancelled_as_it_begins() async {
        let queue = FIFOQueue(), gate = AsyncGate()
        let running = Task(on: queue) { await gate.pass() }
        let waiting = Task(on: queue) { Task.isCancelled }
        await Task.yield()
        queue.cancelAll()
        #expect(!waiting.isCancelled)
        gate.open()
        #expect(await waiting.value)
        #expect(waiting.isCancelled)
        await running.value
    }

    @Test func cancel_all_calls_the_cancellation_handlers_outside_of_every_lock() async {
        let queue = FIFOQueue()
        let begun = AsyncGate(), cancelled = AsyncGate()
        queue.enqueue {
            await withTaskCancellationHandler {
                begun.open()
                await cancelled.pass()
            } onCancel: {
                queue.cancelAll()
                queue.enqueue {}
                cancelled.open()
            }
        }
        await begun.pass()
        queue.cancelAll()
        await queue.drain()
    }

    @Test func drain_waits_for_what_came_before_and_for_nothing_later() async {
        let queue = FIFOQueue()
        let gate = AsyncGate(), later = AsyncGate(), ran = Counter()
        await queue.drain()
        queue.enqueue {
            await gate.pass()
            ran.increment()
        }
        async let first: Void = queue.drain()
        async let second: Void = queue.drain()
        gate.open()
        _ = await (first, second)
        #expect(ran.value == 1)
        queue.enqueue { ran.increment() }
        let drained = Task.immediate { await queue.drain() }
        queue.enqueue { await later.pass() }
        await drained.value
        #expect(ran.value == 2)
        later.open()
        await queue.drain()
    }

    struct Refusal: Error {}

    @Test func captures_are_released_once_and_before_the_next_one_begins() async {
        let queue = FIFOQueue()
        let releases = Counter()
        func enqueueFour() -> [Task<Void, any Error>] {
            (0..<4).map { kind in
                let captured = Captured(releases: releases)
                let task = Task(on: queue) {
                    captured.touch()
                    if kind == 1 { throw Refusal() }
                    if kind == 2 { await Task.yield() }
                }
                if kind == 3 { task.cancel() }
                queue.enqueue { [expected = releases.value] in _ = expected }
                return task
            }
        }
        for round in 0..<100 {
            let gate = AsyncGate()
            queue.enqueue { await gate.pass() }
            var handles = enqueueFour()
            #expect(releases.value == 4 * round)
            queue.enqueue { #expect(releases.value == 4 * (round + 1)) }
            if round % 2 == 1 { queue.cancelAll() }
            gate.open()
            await queue.drain()
            handles.removeAll()
            #expect(releases.value == 4 * (round + 1))
        }
    }

    @Test func a_waiting_callers_captures_are_released_when_it_returns() async {
        let queue = FIFOQueue()
        let releases = Counter()
        for round in 1...100 {
            await queue.enqueueAndWait { [captured = Captured(releases: releases)] in captured.touch() }
            #expect(releases.value == round)
            await #expect(throws: Refusal.self) {
                try await queue.enqueueAndWait { [captured = Captured {}] in
                    captured.touch()
                    throw Refusal()
                }
            }
        }
    }

    @Test func a_dropped_queues_captures_are_released() async {
        let releases = Counter(), done = AsyncGate()
        do {
            let queue = FIFOQueue()
            for _ in 0..<1_000 {
                queue.enqueue { [captured = Captured(releases: releases)] in captured.touch() }
            }
            queue.enqueue { done.open() }
        }
        await done.pass()
        #expect(releases.value == 1_000)
    }

    @Test func a_captured_objects_deinit_may_use_the_queue() async {
        let queue = FIFOQueue()
        let ran = Counter(), gate = AsyncGate()
        do {
            let captured = Captured { queue.enqueue { ran.increment() } }
            queue.enqueue {
                await gate.pass()
                captured.touch()
            }
        }
        gate.open()
        await queue.drain()
        await queue.drain()
        #expect(ran.value == 1)
    }
}
