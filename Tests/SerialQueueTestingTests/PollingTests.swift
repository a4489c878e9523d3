import SerialQueue
import SerialQueueTesting
import Testing

/// Tests whose tasks poll.
@Suite struct PollingTests {
    private static let strategies: [ExplorationStrategy] = [.random, .pct, .depthFirst]

    private actor Account {
        private(set) var balance = 0
        private(set) var deposits = 0

        func deposit(_ amount: Int) async {
            let old = balance
            await Task.yield()
            balance = old + amount
            deposits += 1
        }
    }

    @Test(arguments: strategies) func a_test_that_polls_ends_under_each_strategy(_ strategy: ExplorationStrategy) async throws {
        let explored = try await exploreSchedules(50, strategy: strategy) { pool in
            let account = Account()
            let poll = Task { while await account.deposits < 1 { await Task.yield() } }
            let other = Task { await account.deposit(1) }
            await poll.value
            await other.value
        }
        #expect(explored.schedules == 50)
    }

    @Test(arguments: strategies) func a_poll_for_the_clock_of_the_pool_ends_under_each_strategy(_ strategy: ExplorationStrategy) async throws {
        try await exploreSchedules(50, strategy: strategy) { pool in
            while pool.clock.now.offset < .seconds(1) {
                let sleeper = Task { try await Task.sleep(for: .seconds(1), clock: pool.clock) }
                while pool.clock.now.offset < .seconds(1) { await Task.yield() }
                try await sleeper.value
            }
        }
    }

    /// Without some of its unusual decisions the test has no end.
    @Test(arguments: strategies) func a_bug_in_a_test_that_polls_is_the_one_that_is_reported(_ strategy: ExplorationStrategy) async throws {
        let failure = await failureOf(strategy) { pool in
            let account = Account()
            Task { await account.deposit(1) }
            Task { await account.deposit(1) }
            while await account.deposits < 2 { await Task.yield() }
            try pool.require(await account.balance == 2, "a deposit is lost")
        }
        #expect(failure?.message.hasSuffix("a deposit is lost") == true)
        #expect(failure?.isRepeatable == true)
    }

    private func failureOf(
        _ strategy: ExplorationStrategy, _ test: @escaping @Sendable (ManualPool) async throws -> Void
    ) async -> ExplorationFailure? {
        await #expect(throws: ExplorationFailure.self) { try await exploreSchedules(strategy: strategy, test) }
    }

    // MARK: ManualPool.run

    /// A task that is cancelled ends then; the other one never does.
    @Test(.timeLimit(.minutes(15))) func run_returns_although_a_task_polls_on() async throws {
        let pool = ManualPool(), ended = Count()
        let value = try await pool.run {
            Task {
                while !Task.isCancelled { await Task.yield() }
                ended.number += 1
            }
            Task { while true { await Task.yield() } }
            return 42
        }
        #expect(value == 42)
        #expect(ended.number == 1)
        #expect(try await pool.run { 43 } == 43)
        #expect(try await ManualPool().run { 44 } == 44)
    }

    @Test(.timeLimit(.minutes(15))) func a_cancelled_run_returns_although_its_body_polls_on() async throws {
        let pool = ManualPool(), started = AsyncStream<Void>.makeStream()
        let task = Task {
            try await pool.run {
                started.continuation.yield()
                while true { await Task.yield() }
            }
        }
        for await _ in started.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await pool.run { 43 } == 43)
    }

    /// With a time that is quadratic in the number it takes hours.
    @Test(.timeLimit(.minutes(15))) func a_task_can_be_resumed_a_hundred_thousand_times() async throws {
        let pool = ManualPool(), count = Count()
        try await pool.run {
            for _ in 0..<100_000 {
                await Task.yield()
                count.number += 1
            }
        }
        #expect(count.number == 100_000)
    }

    /// The pool outlives its runs, and so do the tasks on it.
    @Test func a_task_that_a_run_has_left_continues_in_the_next_run_on_its_pool() async throws {
        let pool = ManualPool(), hours = Count()
        try await pool.run {
            _ = Task {
                while true {
                    try await Task.sleep(for: .seconds(3_600), clock: pool.clock)
                    hours.number += 1
                }
            }
        }
        for day in 1...5 {
            try await pool.run { try await Task.sleep(for: .seconds(24 * 3_600 + 1), clock: pool.clock) }
            #expect(hours.number == 24 * day)
        }
    }
}
