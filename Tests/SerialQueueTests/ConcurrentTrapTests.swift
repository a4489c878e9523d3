// ConcurrentTrapTests.swift: each misuse of a concurrent queue ends the program with a sentence. A child process commits it.

import CTestSupport
import Testing

@testable import SerialQueue

@Suite struct ConcurrentTrapTests {
    @Test func an_upgrade_names_the_queue() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = ConcurrentQueue(label: "com.example.upgrade")
            queue.sync { queue.syncBarrier {} }
        }
        #expect(child.said("Fatal error: ConcurrentQueue.syncBarrier: "))
        #expect(child.said("\"com.example.upgrade\""))
    }

    @Test func a_sync_in_a_barrier_names_the_queue() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = ConcurrentQueue(label: "com.example.barrier")
            queue.asyncBarrier { queue.sync {} }
            queue.syncBarrier {}
        }
        #expect(child.said("Fatal error: ConcurrentQueue.sync: "))
        #expect(child.said("\"com.example.barrier\""))
    }

    @Test func a_sync_in_a_queue_of_width_1_traps_as_in_a_serial_one() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = ConcurrentQueue(label: "com.example.narrow", width: 1)
            queue.sync { queue.sync {} }
        }
        #expect(child.said("\"com.example.narrow\""))
    }

    @Test func a_sync_after_the_shutdown_traps() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = ConcurrentQueue(label: "closed")
            try closeNow(queue, .drain)
            queue.syncBarrier {}
        }
        #expect(child.said("ConcurrentQueue.syncBarrier: queue \"closed\" has been shut down."))
    }

    @Test(arguments: [-1, 0])
    func a_width_that_is_not_positive_traps(_ width: Int) async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) { [width] in
            _ = ConcurrentQueue(label: "narrow", width: width)
        }
        #expect(child.said("ConcurrentQueue \"narrow\": with a width of \(width) nothing runs."))
    }

    @Test(arguments: [-1, 0])
    func a_capacity_that_is_not_positive_traps(_ capacity: Int) async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) { [capacity] in
            _ = ConcurrentQueue(label: "full", capacity: capacity)
        }
        #expect(child.said("ConcurrentQueue \"full\": a capacity of \(capacity) leaves room for nothing."))
    }

    @Test func a_queue_on_a_loop_traps() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ConcurrentQueue(label: "looped", on: LoopPool(label: "loop"))
        }
        #expect(child.said("ConcurrentQueue \"looped\": queues on a LoopPool are serial."))
    }

    @Test(.enabled(if: allocation_probe_can_fail(), "a sanitizer owns malloc"))
    func a_queue_without_memory_traps() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ConcurrentQueue(label: "first")  // what the runtime sets up once has its memory
            allocation_probe_fail(100)
            _ = ConcurrentQueue(label: "starved")
        }
        #expect(child.said("ConcurrentQueue \"starved\": no memory for a queue"))
    }

    @Test func being_on_a_concurrent_queue_is_said_where_another_was_expected() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (expected, actual) = (SerialQueue(label: "expected"), ConcurrentQueue(label: "actual"))
            actual.sync { expected.preconditionIsCurrent() }
        }
        #expect(child.said("queue \"expected\", but runs on queue \"actual\"."))
    }
}
