import SerialQueue
import SerialQueueOperations
import SerialQueueTesting
import Testing

/// SerialQueueOperations, explored.
@Suite struct OwnOperationsTests {
    @Test func what_depends_on_a_cancelled_operation_has_an_outcome_that_fits() async throws {
        try await exploreSchedules(2_000) { pool in
            let queue = WorkOperationQueue(label: "images", width: 2, on: pool)
            let load = queue.add("load") { 1 }
            let decode = queue.add("decode", after: load) { $0 + 1 }
            let canceller = Task { load.cancel() }
            let loaded = try? await load.value, decoded = try? await decode.value
            await canceller.value
            try pool.require(loaded == nil || loaded == 1, "load has another value")
            try pool.require(decoded == loaded.map { $0 + 1 }, "decode does not fit to load")
        }
    }

    @Test func at_most_width_operations_run_at_a_time() async throws {
        try await exploreSchedules(2_000) { pool in
            let queue = WorkOperationQueue(label: "narrow", width: 2, on: pool), running = Count(), most = Count()
            for number in 1...3 {
                queue.add("operation \(number)") { () async in
                    running.number += 1
                    most.number = max(most.number, running.number)
                    await Task.yield()
                    running.number -= 1
                }
            }
            await queue.drain()
            try pool.require(running.number == 0, "the drain ended early")
            try pool.require(most.number <= 2, "\(most.number) operations ran at a time")
        }
    }

    /// A cancellation against the end of a drain.
    @Test func a_drain_that_is_cancelled_has_ended_or_left() async throws {
        let drain = LeftDrain()
        try await exploreSchedules(2_000) { pool in
            let queue = WorkOperationQueue(label: "drained", width: 1, on: pool), done = Count()
            queue.add { done.number += 1 }
            try await drain.cancel(on: pool, done) { try await queue.drain(within: nil) }
        }
        #expect(drain.hasBoth)
    }
}
