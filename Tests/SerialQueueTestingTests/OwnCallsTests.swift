import SerialQueue
import SerialQueueTesting
import Testing

/// The awaited calls of this package's own queues, explored: `run`, `submit`, `drain`, `shutdown`, and actors on queues.
@Suite struct OwnCallsTests {
    @Test func a_call_runs_or_is_cancelled() async throws {
        try await exploreSchedules(2_000) { pool in
            let queue = SerialQueue(label: "calls", on: pool), ran = Count()
            let caller = Task { try await queue.run { ran.number += 1 } }
            let canceller = Task { caller.cancel() }
            let result = await caller.result
            let ranBefore = ran.number
            await canceller.value
            await queue.drain()
            switch result {
            case .success: try pool.require(ranBefore == 1, "it returned, and has not run")
            case .failure: try pool.require(ran.number == 0, "it ran, and was cancelled")
            }
        }
    }

    @Test func a_call_that_waits_for_room_is_accepted_or_cancelled() async throws {
        try await exploreSchedules(2_000) { pool in
            let queue = SerialQueue(label: "narrow", on: pool, capacity: 1), ran = Count()
            queue.async { ran.number += 1 }
            let caller = Task { try await queue.submit { ran.number += 10 } }
            let canceller = Task { caller.cancel() }
            let result = await caller.result
            await canceller.value
            await queue.drain()
            switch result {
            case .success: try pool.require(ran.number == 11, "it was accepted, and has not run")
            case .failure: try pool.require(ran.number == 1, "it ran, and was cancelled")
            }
        }
    }

    @Test func a_drain_ends_after_all_readers_of_a_concurrent_queue() async throws {
        try await exploreSchedules(2_000) { pool in
            let queue = ConcurrentQueue(label: "readers", width: 2, on: pool), ended = Count()
            for _ in 1...2 {
                queue.async {
                    pool.yield()
                    ended.number += 1
                }
            }
            await queue.drain()
            try pool.require(ended.number == 2, "a reader runs after the drain")
        }
    }

    @Test func an_awaited_barrier_runs_alone() async throws {
        try await exploreSchedules(2_000) { pool in
            let queue = ConcurrentQueue(label: "cache", width: 2, on: pool), inside = Count()
            let readers = (1...2).map { _ in
                Task {
                    try await queue.run {
                        inside.number += 1
                        pool.yield()
                        inside.number -= 1
                    }
                }
            }
            let writer = Task { try await queue.runBarrier { inside.number } }
            try pool.require(try await writer.value == 0, "a reader runs with the barrier")
            for reader in readers { try await reader.value }
        }
    }

    @Test func late_jobs_of_an_actor_run_one_at_a_time_after_the_end_of_its_queue() async throws {
        try await exploreSchedules(2_000) { pool in
            let store = Store(on: pool)
            async let first: Void = store.addSlowly(1, pool)
            async let second: Void = store.addSlowly(2, pool)
            try await store.queue.shutdown()
            store.hasEnded.number = 1
            _ = await (first, second)
            try pool.require(await store.sum == 3, "a job is lost")
            try pool.require(await !store.overlaps, "two jobs ran at the same time")
        }
    }

    @Test func actors_on_queues_of_the_pool_are_explored_at_each_await() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules { pool in
                let store = Store(on: pool)
                async let first: Void = store.set(await store.sum + 1)
                async let second: Void = store.set(await store.sum + 2)
                _ = await (first, second)
                try pool.require(await store.sum == 3, "an update is lost")
            }
        }
        #expect(failure?.message.hasSuffix("an update is lost") == true)
        #expect(failure?.escapes == [])
    }

    @Test func tasks_that_prefer_a_concurrent_queue_are_explored_at_each_await() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules { pool in
                let queue = ConcurrentQueue(label: "tasks", width: 2, on: pool), count = Count()
                let tasks = (1...2).map { _ in
                    Task(executorPreference: queue) {
                        let number = count.number
                        await Task.yield()
                        count.number = number + 1
                    }
                }
                for task in tasks { await task.value }
                try pool.require(count.number == 2, "an update is lost")
            }
        }
        #expect(failure?.message.hasSuffix("an update is lost") == true)
        #expect(failure?.escapes == [])
    }

    private actor Store {
        nonisolated let queue: SerialQueue
        nonisolated let hasEnded = Count()
        nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
        private(set) var sum = 0
        private(set) var overlaps = false
        private var isInside = false

        init(on pool: ManualPool) {
            queue = SerialQueue(label: "store", on: pool)
        }

        func set(_ value: Int) {
            sum = value
        }

        func addSlowly(_ value: Int, _ pool: ManualPool) async {
            add(value, pool)
            await Task.yield()
            add(0, pool)
        }

        private func add(_ value: Int, _ pool: ManualPool) {
            overlaps = overlaps || isInside
            isInside = true
            pool.yield()
            sum += value
            isInside = false
        }
    }
}

/// Unchecked Sendable: only one thread at a time runs a test that is explored.
final class Count: @unchecked Sendable {
    var number = 0
}
