import CTestSupport
import SerialQueue
import Testing

/// Suspended callers of a concurrent queue, and tasks that prefer one.
@Suite struct ConcurrentAwaitTests {
    let queue = ConcurrentQueue(label: "awaited", on: WorkerPool(label: "awaited", threads: 3))
    let ran = Counter()

    @Test func run_and_run_barrier_return_and_throw() async throws {
        #expect(try await queue.run { 7 } == 7)
        #expect(try await queue.runBarrier { 8 } == 8)
        #expect(try await queue.runBarrier { Unique(number: 3) }.number == 3)
        #expect(try await queue.runBarrier { Parcel("not Sendable") }.content == "not Sendable")
        await #expect(throws: Refusal.no) { try await queue.run { throw Refusal.no } }
        await #expect(throws: Refusal.no) { try await queue.runBarrier { throw Refusal.no } }
        #expect(queue.statistics.ran == 6)
    }

    @Test func runs_meet_and_a_barrier_runs_alone() async throws {
        let gates = [Gate(), Gate()], value = Guarded(0)
        async let first: Void = queue.run {
            gates[0].open()
            gates[1].pass()
        }
        async let second: Void = queue.run {
            gates[1].open()
            gates[0].pass()
        }
        _ = try await (first, second)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2_000 {
                group.addTask { [queue] in
                    if number % 2 == 0 {
                        try await queue.runBarrier { value.value += 1 }
                    } else {
                        #expect(try await queue.run { value.value } >= 0)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(queue.sync { value.value } == 1_000)
    }

    @Test func run_barrier_waits_for_those_ahead_and_holds_up_those_behind() async throws {
        let log = Guarded([String]())
        let holdup = Holdup { queue.async($0) }
        let barrier = Task { [queue] in try await queue.runBarrier { log.value.append("barrier") } }
        await comesTrue { queue.depth == 1 }
        queue.async { log.value.append("behind") }
        #expect(log.value.isEmpty)
        holdup.finish()
        try await barrier.value
        await queue.drain()
        #expect(log.value == ["barrier", "behind"])
    }

    @Test func a_cancelled_barrier_holds_up_nobody() async {
        let holdup = Holdup { queue.async($0) }
        let releases = Counter()
        for round in 1...100 {
            let barrier = Task { [queue, ran] in
                let captured = Captured(releases: releases)
                try await queue.runBarrier {
                    captured.touch()
                    ran.increment()
                }
            }
            await comesTrue { queue.depth == 1 }
            barrier.cancel()
            await #expect(throws: CancellationError.self) { try await barrier.value }
            #expect(releases.value == round)
            #expect(queue.statistics.withdrawn == round)
            #expect(queue.sync { 1 } == 1)
        }
        holdup.finish()
        await queue.drain()
        #expect(ran.value == 0)
    }

    @Test func cancellation_and_a_barriers_turn_exclude_each_other() async {
        let (returned, threw) = (Counter(), Counter()), count = 2_000
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { [queue, ran] in
                    let task = Task { try await queue.runBarrier { _ = ran.increment() } }
                    let reader = Task { try await queue.run {} }
                    for _ in 0..<(number % 5) { await Task.yield() }
                    task.cancel()
                    switch await task.result {
                    case .success: returned.increment()
                    case .failure(let error):
                        #expect(error is CancellationError)
                        threw.increment()
                    }
                    #expect(await reader.result.isSuccess)
                }
            }
        }
        await queue.drain()
        #expect(returned.value + threw.value == count)
        #expect(ran.value == returned.value)
    }

    @Test func barriers_wait_for_room_and_leave_the_line_when_cancelled() async throws {
        let queue = ConcurrentQueue(label: "bounded", width: 2, capacity: 1), log = Guarded([Int]())
        let holdup = Holdup { queue.async($0) }
        #expect(queue.asyncBarrier {})
        let cancelled = Task { try await queue.runBarrier { log.value.append(1) } }
        await comesTrue { queue.statistics.rejected == 0 && queue.depth == 1 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let patient = Task { try await queue.runBarrier { log.value.append(2) } }
        holdup.finish()
        try await patient.value
        #expect(queue.syncBarrier { log.value } == [2])
    }

    @Test func run_barrier_is_refused_after_the_shutdown() async throws {
        try await queue.shutdown()
        await #expect(throws: SerialQueueError.shutDown) { try await queue.runBarrier {} }
        await #expect(throws: SerialQueueError.shutDown) { try await queue.run {} }
    }

    // Tasks on the queue

    @Test func a_task_runs_on_the_queue_it_prefers() async throws {
        let value = await Task(name: "preferring", executorPreference: queue) { [queue] in
            #expect(ConcurrentQueue.current == queue)
            #expect(Task.name == "preferring")
            await Task.yield()
            #expect(queue.isCurrent)
            #expect(queue.sync { 1 } == 1, "a job is a reader")
            return try? await queue.runBarrier { 7 }
        }.value
        #expect(value == 7)
    }

    @Test func tasks_run_at_the_same_time_and_stay_on_the_queue() async {
        let gates = [Gate(), Gate()]
        await withTaskExecutorPreference(queue) {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<2 {
                    group.addTask { [queue] in
                        #expect(queue.isCurrent)
                        gates[number].open()
                        gates[1 - number].pass()
                    }
                }
            }
        }
        let jobs = await Task(executorPreference: queue) { [queue] in
            let before = queue.statistics.submitted
            for _ in 0..<10 { await plainly { #expect(queue.isCurrent) } }
            return queue.statistics.submitted - before
        }.value
        #expect(jobs == 0, "a nonisolated call must not leave the queue and come back")
    }

    @Test func a_task_continues_after_its_queues_shutdown() async throws {
        let gate = Stopover()
        let task = Task(executorPreference: queue) { [queue] in
            await gate.pass()
            #expect(queue.isCurrent)
            #expect(ConcurrentQueue.current == queue)
            return 7
        }
        await comesTrue { gate.arrived == 1 }
        try await queue.shutdown()
        gate.open()
        #expect(await task.value == 7)
        #expect(queue.syncOrRun { 8 } == 8)
    }
}

extension Result {
    var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
