// FIFOQueueHygieneTests.swift: a task that would wait for itself ends the program with a message; others continue.

import Testing

@testable import SerialQueue
@testable import SerialQueueOrdered

@Suite(.timeLimit(.minutes(15))) struct FIFOQueueHygieneTests {
    @Test func enqueue_and_wait_in_a_task_of_the_queue_traps_with_a_message() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = FIFOQueue(label: "com.example.own")
            await queue.enqueueAndWait { await queue.enqueueAndWait {} }
        }
        #expect(child.said("FIFOQueue.enqueueAndWait: called from a task of queue \"com.example.own\""))
        #expect(child.said("Use enqueue"))
    }

    @Test func it_traps_in_a_child_task_after_a_suspension() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = FIFOQueue(label: "com.example.parent")
            await Task(on: queue) {
                await Task.yield()
                await withTaskGroup { group in
                    group.addTask { await queue.enqueueAndWait {} }
                }
            }.value
        }
        #expect(child.said("\"com.example.parent\""))
    }

    @Test func it_traps_in_a_task_on_an_actor() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            actor Somebody {}
            let queue = FIFOQueue(label: "com.example.actor")
            await queue.enqueueAndWait(on: Somebody()) { actor in
                await queue.enqueueAndWait(on: actor) { _ in }
            }
        }
        #expect(child.said("\"com.example.actor\""))
    }

    @Test func drain_in_a_task_of_the_queue_traps_with_a_message() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = FIFOQueue(label: "com.example.drain", on: SerialQueue())
            await queue.enqueueAndWait { await queue.drain() }
        }
        #expect(child.said("FIFOQueue.drain: called from a task of queue \"com.example.drain\""))
    }

    @Test func a_task_that_is_made_in_a_task_of_the_queue_may_wait() async {
        let queue = FIFOQueue()
        let inner = await queue.enqueueAndWait {
            Task { await queue.enqueueAndWait { "later" } }
        }
        #expect(await inner.value == "later")
    }

    @Test func a_task_of_another_queue_may_wait() async {
        let outer = FIFOQueue(), inner = FIFOQueue()
        #expect(await outer.enqueueAndWait { await inner.enqueueAndWait { 1 } } == 1)
    }
}

@Suite(.timeLimit(.minutes(15))) struct FIFOQueueOnSerialQueueTests {
    @Test func tasks_and_their_children_run_on_the_serial_queue_in_order() async {
        let serial = SerialQueue(label: "com.example.serial"), queue = FIFOQueue(on: serial)
        let numbers = Guarded([Int]())
        for number in 0..<1_000 {
            queue.enqueue {
                serial.preconditionIsCurrent()
                numbers.value.append(number)
                if number % 10 == 0 { await Task.yield() }
                serial.preconditionIsCurrent()
            }
        }
        await queue.enqueueAndWait {
            await withTaskGroup { group in
                group.addTask { serial.preconditionIsCurrent() }
            }
        }
        #expect(serial.sync { numbers.value } == Array(0..<1_000))
    }

    /// An actor with an executor of its own is isolated to that; what is not isolated runs on the queue.
    @Test func tasks_for_an_actor_run_on_its_executor_and_return_to_the_serial_queue() async {
        let serial = SerialQueue(label: "com.example.serial"), queue = FIFOQueue(on: serial)
        let store = Store(SerialQueue(label: "com.example.store"))
        for number in 0..<100 {
            queue.enqueue(on: store) { store in
                store.queue.preconditionIsCurrent()
                store.add(number)
                await plainly { serial.preconditionIsCurrent() }
                store.queue.preconditionIsCurrent()
            }
            queue.enqueue { serial.preconditionIsCurrent() }
        }
        #expect(await Task(on: queue, isolatedTo: store) { $0.entries }.value == Array(0..<100))
    }

    @Test func tasks_still_run_in_order_when_the_serial_queue_is_full_or_has_been_shut_down() async throws {
        let serial = SerialQueue(label: "com.example.gone", capacity: 1), queue = FIFOQueue(on: serial)
        let numbers = Guarded([Int]())
        for number in 0..<200 {
            if number == 100 { try await serial.shutdown() }
            queue.enqueue {
                await Task.yield()
                numbers.value.append(number)
            }
        }
        await queue.drain()
        #expect(numbers.value == Array(0..<200))
    }
}
