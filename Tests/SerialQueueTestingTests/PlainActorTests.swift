import SerialQueue
import SerialQueueTesting
import Testing

/// Actors without a queue, and tasks: through the runtime's hook.
@Suite struct PlainActorTests {
    private actor Account {
        private(set) var balance = 0

        func set(_ value: Int) {
            balance = value
        }

        func addSlowly(_ value: Int) async {
            let old = balance
            await Task.yield()
            balance = old + value
        }
    }

    @Test func child_tasks_are_explored_at_each_await() async throws {
        let failure = await failureOf { pool in
            let account = Account()
            async let first: Void = account.set(await account.balance + 1)
            async let second: Void = account.set(await account.balance + 2)
            _ = await (first, second)
            try pool.require(await account.balance == 3, "an update is lost")
        }
        #expect(failure?.message.hasSuffix("an update is lost") == true)
        #expect(failure?.isRepeatable == true)
        #expect(failure?.escapes == [])
    }

    @Test func unstructured_tasks_are_explored_at_each_await() async throws {
        let failure = await failureOf { pool in
            let account = Account()
            let first = Task { await account.set(await account.balance + 1) }
            let second = Task.detached { await account.set(await account.balance + 2) }
            _ = await (first.value, second.value)
            try pool.require(await account.balance == 3, "an update is lost")
        }
        #expect(failure?.message.hasSuffix("an update is lost") == true)
        #expect(failure?.escapes == [])
    }

    @Test func a_yield_within_a_plain_actor_is_explored() async throws {
        let failure = await failureOf { pool in
            let account = Account()
            let first = Task { await account.addSlowly(1) }
            let second = Task { await account.addSlowly(2) }
            _ = await (first.value, second.value)
            try pool.require(await account.balance == 3, "an update is lost")
        }
        #expect(failure?.message.hasSuffix("an update is lost") == true)
        #expect(failure?.escapes == [])
    }

    @Test func tasks_with_values_errors_and_locals_end_as_ever() async throws {
        struct Wrong: Error {}
        let explored = try await exploreSchedules(2_000) { pool in
            let account = Account()
            let failing = Task<Int, any Error> {
                await account.set(1)
                throw Wrong()
            }
            let text = await Self.$local.withValue("bound") {
                await Task {
                    await account.addSlowly(1)
                    return Self.local
                }.value
            }
            try pool.require(text == "bound")
            let sum = await withTaskGroup(of: Int.self) { group in
                for number in 1...4 {
                    group.addTask {
                        await Task.yield()
                        return number
                    }
                }
                return await group.reduce(0, +)
            }
            try pool.require(sum == 10)
            if case .success = await failing.result { try pool.require(false, "the error is lost") }
        }
        #expect(explored.schedules > 100)
        #expect(explored.escapes == [])
    }

    @TaskLocal private static var local = ""

    @Test func all_schedules_of_a_small_test_are_found_depth_first() async throws {
        let explored = try await exploreSchedules(100_000, strategy: .depthFirst) { pool in
            let account = Account()
            async let first: Void = account.set(1)
            async let second: Void = account.set(2)
            _ = await (first, second)
        }
        #expect(explored.isComplete)
        #expect(explored.schedules > 1)
    }

    @Test func random_priorities_find_it_too() async throws {
        await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(strategy: .pct) { pool in
                let account = Account()
                async let first: Void = account.addSlowly(1)
                async let second: Void = account.addSlowly(2)
                _ = await (first, second)
                try pool.require(await account.balance == 3)
            }
        }
    }

    private func failureOf(
        function: String = #function, _ test: @escaping @Sendable (ManualPool) async throws -> Void
    ) async -> ExplorationFailure? {
        await #expect(throws: ExplorationFailure.self) { try await exploreSchedules(name: function, test) }
    }
}
