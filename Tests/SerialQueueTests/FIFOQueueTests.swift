import CTestSupport
import Testing

@testable import SerialQueue
@testable import SerialQueueOrdered

@Suite(.timeLimit(.minutes(15))) struct FIFOQueueTests {
    @Test func a_thousand_closures_run_in_order_a_thousand_times() async {
        for _ in 0..<rounds {
            let queue = FIFOQueue()
            let numbers = Guarded([Int]())
            enqueueThousand(on: queue, numbers)
            await queue.drain()
            #expect(numbers.value == Array(0..<1_000))
        }
    }

    /// What a nonisolated, synchronous function would do.
    private func enqueueThousand(on queue: FIFOQueue, _ numbers: Guarded<[Int]>) {
        for number in 0..<1_000 {
            queue.enqueue { numbers.value.append(number) }
        }
    }

    @Test func a_closure_ends_before_the_next_one_begins_whatever_it_awaits() async {
        let queue = FIFOQueue()
        let running = Guarded(0), highest = Guarded(0), ran = Guarded(0)
        onThreads(4) { _ in
            for _ in 0..<250 {
                queue.enqueue {
                    running.value += 1
                    highest.value = max(highest.value, running.value)
                    await Task.yield()
                    await withTaskGroup { group in
                        for _ in 0..<3 { group.addTask { await Task.yield() } }
                    }
                    running.value -= 1
                    ran.value += 1
                }
            }
        }
        await queue.drain()
        #expect(highest.value == 1)
        #expect(ran.value == 1_000)
    }

    @Test func a_suspended_closure_keeps_the_next_one_waiting() async {
        let queue = FIFOQueue()
        let log = Log<String>(), begun = AsyncGate(), gate = AsyncGate()
        queue.enqueue {
            begun.open()
            await gate.pass()
            log.append("first")
        }
        queue.enqueue { log.append("second") }
        await begun.pass()
        for _ in 0..<100 { await Task.yield() }
        #expect(log.entries.isEmpty)
        gate.open()
        await queue.drain()
        #expect(log.entries == ["first", "second"])
    }

    @Test func each_threads_order_is_kept_and_each_closure_runs_once() async {
        let queue = FIFOQueue()
        let last = Guarded([Int](repeating: -1, count: 4)), ran = Guarded(0)
        onThreads(4) { thread in
            for number in 0..<2_000 {
                queue.enqueue {
                    #expect(last.value[thread] == number - 1)
                    last.value[thread] = number
                    ran.value += 1
                }
            }
        }
        await queue.drain()
        #expect(ran.value == 8_000)
    }

    @Test func what_was_enqueued_before_the_queue_is_dropped_still_runs() async {
        let ran = Counter(), gate = AsyncGate(), done = AsyncGate()
        weak var dropped: FIFOQueue?
        do {
            let queue = FIFOQueue()
            dropped = queue
            queue.enqueue { await gate.pass() }
            for _ in 0..<100 { queue.enqueue { ran.increment() } }
            queue.enqueue { done.open() }
        }
        gate.open()
        await done.pass()
        #expect(ran.value == 100)
        eventually { dropped == nil }
    }

    @Test func waiting_tasks_keep_the_queue_alive() async {
        let gate = AsyncGate()
        weak var dropped: FIFOQueue?
        let last: Task<Void, Never>
        do {
            let queue = FIFOQueue()
            dropped = queue
            queue.enqueue { await gate.pass() }
            last = Task(on: queue) {}
        }
        await Task.yield()
        #expect(dropped != nil)
        gate.open()
        await last.value
        eventually { dropped == nil }
    }

    @Test func enqueue_and_wait_returns_the_value_or_throws_the_typed_error() async {
        struct Refusal: Error, Equatable { let reason: Int }
        let queue = FIFOQueue()
        #expect(await queue.enqueueAndWait { 42 } == 42)
        do throws(Refusal) {
            try await queue.enqueueAndWait { () async throws(Refusal) in throw Refusal(reason: 7) }
            Issue.record("it did not throw")
        } catch {
            #expect(error == Refusal(reason: 7))
        }
    }

    @Test func enqueue_and_wait_takes_its_place_in_the_order_of_the_calls() async {
        let queue = FIFOQueue()
        let log = Log<Int>(), gate = AsyncGate()
        queue.enqueue { await gate.pass() }
        queue.enqueue { log.append(1) }
        async let two: Void = queue.enqueueAndWait { log.append(2) }
        gate.open()
        await two
        #expect(log.entries == [1, 2])
    }

    @Test func closures_run_on_the_actor_they_are_meant_for() async throws {
        actor Sum {
            var sum = 0
        }
        let queue = FIFOQueue(), actor = Sum()
        queue.enqueue(on: actor) { actor in
            actor.preconditionIsolated()
            actor.sum += 1
            await Task.yield()
            actor.sum += 1
        }
        #expect(await queue.enqueueAndWait(on: actor) { $0.sum } == 2)
        #expect(await Task(on: queue, isolatedTo: actor) { $0.sum }.value == 2)
        let throwing = Task(on: queue, isolatedTo: actor) { _ in try await Task.sleep(for: .seconds(3_600)) }
        throwing.cancel()
        await #expect(throws: CancellationError.self) { try await throwing.value }
    }

    @Test func a_handle_has_the_value_or_the_error_and_cancels() async throws {
        struct Refusal: Error {}
        let queue = FIFOQueue()
        #expect(await Task(on: queue) { 1 }.value == 1)
        let refused = Task(on: queue) { throw Refusal() }
        await #expect(throws: Refusal.self) { try await refused.value }

        let gate = AsyncGate()
        queue.enqueue { await gate.pass() }
        let cancelled = Task(on: queue) { Task.isCancelled }
        cancelled.cancel()
        gate.open()
        #expect(await cancelled.value)
        #expect(await queue.enqueueAndWait { !Task.isCancelled })
    }

    @Test func the_callers_cancellation_reaches_the_operation_it_waits_for() async {
        let queue = FIFOQueue()
        let begun = AsyncGate()
        let caller = Task {
            await queue.enqueueAndWait {
                begun.open()
                while !Task.isCancelled { await Task.yield() }
                return "seen"
            }
        }
        await begun.pass()
        caller.cancel()
        #expect(await caller.value == "seen")
    }

    enum Locals {
        @TaskLocal static var name = "none"
    }

    @Test func task_locals_priority_and_name_reach_the_task() async {
        let queue = FIFOQueue()
        await Locals.$name.withValue("set") {
            #expect(await Task(on: queue) { Locals.name }.value == "set")
            #expect(await queue.enqueueAndWait { Locals.name } == "set")
        }
        #expect(await Task(priority: .low, on: queue) { Task.currentPriority == .low || Task.basePriority == .low }.value)
        let inherited = await Task.detached(priority: .utility) { await Task(on: queue) { Task.basePriority }.value }.value
        #expect(inherited == .utility)
        #expect(await Task(name: "named", on: queue) { Task.name }.value == "named")
    }

    /// More tasks than a thread runs in one go; and the stack does not grow with them.
    @Test func many_that_were_held_up_run_in_order() async {
        let queue = FIFOQueue()
        let gate = AsyncGate(), numbers = Guarded([Int]())
        queue.enqueue { await gate.pass() }
        for number in 0..<100_000 {
            queue.enqueue { numbers.value.append(number) }
        }
        gate.open()
        await queue.drain()
        #expect(numbers.value == Array(0..<100_000))
    }
}
