// EscalationTests.swift: a task that awaits a task of an ordered queue raises its priority, as everywhere in Swift. A `Task.immediate`
// has reached its `await` when it returns.

import SerialQueue
import SerialQueueOrdered
import Testing

@Suite(.timeLimit(.minutes(15))) struct EscalationTests {
    private actor Somebody {}

    @Test func a_task_in_a_fifo_queue_takes_over_the_priority_of_the_task_that_awaits_it() async {
        for serial in [nil, SerialQueue(label: "escalated")] {
            let queue = FIFOQueue(on: serial), gate = AsyncGate()
            queue.enqueue { await gate.pass() }
            let task = Task(priority: .low, on: queue) { [Task.currentPriority, Task.basePriority] }
            let awaiter = Task.immediate(priority: .high) { await task.value }
            gate.open()
            #expect(await awaiter.value == [.high, .low])
        }
    }

    @Test func a_task_in_an_actor_queue_does_too() async throws {
        let queue = ActorQueue<Somebody>(), somebody = Somebody()
        queue.adoptExecutionContext(of: somebody)
        let awaiter = await queue.enqueueAndWait { _ in
            // The actor is busy here, so it waits.
            let task = Task(priority: .low, on: queue) { _ in [Task.currentPriority, Task.basePriority] }
            return Task.immediate(priority: .high) { await task.value }
        }
        #expect(try await awaiter.value == [.high, .low])
    }

    /// The operation is a task of its own, of the caller's priority.
    @Test func what_is_enqueued_and_awaited_has_the_priority_of_its_caller_and_follows_it() async {
        let queue = FIFOQueue(), gate = AsyncGate()
        queue.enqueue { await gate.pass() }
        let caller = Task.immediate(priority: .low) { await queue.enqueueAndWait { Task.currentPriority } }
        let awaiter = Task.immediate(priority: .high) { await caller.value }
        gate.open()
        #expect(await awaiter.value == .high)
    }

    /// It does not overtake others, although a task of higher priority waits for it.
    @Test func the_order_stays() async {
        let queue = FIFOQueue(), gate = AsyncGate(), log = Log<Int>()
        queue.enqueue { await gate.pass() }
        let tasks = (0..<10).map { number in Task(priority: .low, on: queue) { log.append(number) } }
        let awaiters = tasks.reversed().map { task in Task.immediate(priority: .high) { await task.value } }
        gate.open()
        for awaiter in awaiters { await awaiter.value }
        #expect(log.entries == Array(0..<10))
    }
}
