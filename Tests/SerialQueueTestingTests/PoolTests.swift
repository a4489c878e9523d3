import SerialQueue
import SerialQueueTesting
import Testing

/// What a test calls on its pool.
@Suite struct PoolTests {
    @Test func run_awaits_what_only_the_pool_can_run() async throws {
        let pool = ManualPool()
        let queue = SerialQueue(label: "words", on: pool)
        let word = try await pool.run {
            try await Task.sleep(for: .seconds(3_600), clock: pool.clock)
            return try await queue.run { "an hour later" }
        }
        #expect(word == "an hour later")
        #expect(pool.clock.now.offset == .seconds(3_600))
    }

    @Test func run_says_who_waits_for_what() async throws {
        let pool = ManualPool()
        let failure = await #expect(throws: NeverEnds.self) {
            try await pool.run {
                let stuck = Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
                await stuck.value
            }
        }
        #expect(failure?.description.contains("body waits for task 1") == true)
    }

    /// The wait throws when the body is given up and cancelled.
    @Test func run_never_ends_also_if_the_wait_can_be_cancelled() async throws {
        let pool = ManualPool()
        let permits = SerialQueue.Semaphore(label: "permits", value: 0)
        let failure = await #expect(throws: NeverEnds.self) {
            try await pool.run { try await permits.withPermit {} }
        }
        #expect(failure?.description.contains("body waits for a continuation") == true)
    }

    @Test func run_never_ends_also_if_the_body_returns_after_it_was_cancelled() async throws {
        let pool = ManualPool()
        let permits = SerialQueue.Semaphore(label: "permits", value: 0)
        await #expect(throws: NeverEnds.self) {
            try await pool.run {
                try? await permits.withPermit {}
                return 42
            }
        }
    }

    @Test func a_cancelled_run_returns_what_the_body_makes_of_it() async throws {
        let pool = ManualPool()
        let permits = SerialQueue.Semaphore(label: "permits", value: 0)
        let task = Task {
            try await pool.run {
                try? await permits.withPermit {}
                return 42
            }
        }
        task.cancel()
        #expect(try await task.value == 42)
    }

    @Test(.timeLimit(.minutes(15))) func run_cancels_a_body_that_always_has_something_to_run() async throws {
        let pool = ManualPool()
        let task = Task {
            try await pool.run {
                while true { try await Task.sleep(for: .seconds(1), clock: pool.clock) }
            }
        }
        while pool.clock.now.offset < .seconds(5) { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func run_in_a_test_that_is_explored_only_awaits() async throws {
        try await exploreSchedules(100) { pool in
            let queue = SerialQueue(label: "words", on: pool)
            let word = try await pool.run { try await queue.run { "word" } }
            try pool.require(word == "word")
        }
    }

    @Test func a_cancelled_sleep_ends_at_once() async throws {
        try await exploreSchedules(100) { pool in
            let sleeper = Task { try await Task.sleep(for: .seconds(60), clock: pool.clock) }
            sleeper.cancel()
            if case .success = await sleeper.result { try pool.require(false, "it was not cancelled") }
            try pool.require(pool.clock.now.offset == .zero, "the clock has moved")
        }
    }

    @Test func sleepers_wake_in_order_of_time() async throws {
        try await exploreSchedules(200) { pool in
            let order = Order()
            async let late: Void = order.add(2, after: .seconds(2), pool)
            async let early: Void = order.add(1, after: .seconds(1), pool)
            _ = try await (late, early)
            try pool.require(await order.numbers == [1, 2])
        }
    }

    @Test func every_choice_is_taken() async throws {
        let taken = Taken()
        try await exploreSchedules(100) { pool in taken.add(pool.choose(from: ["a", "b", "c"])) }
        #expect(taken.words == ["a", "b", "c"])
        #expect(ManualPool().choose(3) == 0)
    }

    @Test(arguments: [ExplorationStrategy.random, .pct, .depthFirst])
    func tasks_of_an_explored_test_may_run_the_pool(_ strategy: ExplorationStrategy) async throws {
        try await exploreSchedules(1_000, strategy: strategy) { pool in
            let queue = SerialQueue(label: "one", on: pool), other = SerialQueue(label: "two", on: pool)
            let permits = SerialQueue.Semaphore(label: "permits", value: 0)
            let group = WorkGroup(label: "group")
            queue.async(in: group) {
                try? permits.wait()
                pool.run()
            }
            other.async(in: group) {
                permits.signal()
                pool.run()
                queue.async { pool.run() }
            }
            other.sync {}
            let task = Task {
                pool.run()
                await Task.yield()
                pool.run()
                try await group.wait()
            }
            pool.run()
            try await task.value
        }
    }

    @Test(arguments: [ExplorationStrategy.random, .pct, .depthFirst])
    func a_synchronous_run_in_an_explored_test_returns_while_closures_wait_for_the_test(_ strategy: ExplorationStrategy) async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(1_000, strategy: strategy) { pool in
                let waiter = SerialQueue(label: "waiter", on: pool), other = SerialQueue(label: "other", on: pool)
                let permits = SerialQueue.Semaphore(label: "permits", value: 0)
                let count = Count(), waits = pool.choose(32) == 31
                other.async { count.number += 1 }
                if waits { waiter.async { permits.wait() } }
                pool.run()
                let seen = count.number
                if waits { permits.signal() }
                pool.run()
                try pool.require(seen == 1, "other has not run")
                try pool.require(!waits, "everything ran")
            }
        }
        #expect(failure?.message.hasSuffix("everything ran") == true)
        #expect(failure?.isRepeatable == true)
    }

    private actor Order {
        private(set) var numbers: [Int] = []

        func add(_ number: Int, after delay: Duration, _ pool: ManualPool) async throws {
            try await Task.sleep(for: delay, clock: pool.clock)
            numbers.append(number)
        }
    }

    /// Unchecked Sendable: accessed by one thread at a time, the one that explores, and after it.
    private final class Taken: @unchecked Sendable {
        private(set) var words: Set<String> = []
        func add(_ word: String) { words.insert(word) }
    }
}
