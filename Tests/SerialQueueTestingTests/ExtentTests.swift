import SerialQueue
import SerialQueueTesting
import Testing

/// How much of all schedules was run.
@Suite struct ExtentTests {
    /// Two queues with four closures each: 8! / (4! 4!) = 70 orders.
    private func exploreOrders(_ count: Int, _ strategy: ExplorationStrategy) async throws -> Exploration {
        try await exploreSchedules(count, strategy: strategy, name: "orders") { pool in
            let queues = [SerialQueue(label: "a", on: pool), SerialQueue(label: "b", on: pool)]
            for number in 0..<8 { queues[number % 2].async {} }
            pool.run()
        }
    }

    @Test func a_complete_search_says_so() async throws {
        let explored = try await exploreOrders(100, .depthFirst)
        #expect(explored.isComplete)
        #expect(explored.schedules == 70)
        #expect(explored.known == 70)
        #expect(explored.estimate == 70)
        #expect(explored.completeBound == 7)
        #expect("\(explored)" == "orders passed\n  schedules 70, depth first: complete, there are no others")
    }

    @Test func a_search_that_is_cut_says_what_to_raise() async throws {
        let explored = try await exploreOrders(20, .depthFirst)
        #expect(!explored.isComplete)
        #expect(explored.completeBound == 2)
        let known = try #require(explored.known), estimate = try #require(explored.estimate)
        #expect(known > 35 && known < 70)
        #expect(estimate > 35 && estimate < 280)
        #expect("\(explored)".contains("to raise  the number of schedules, to 35: complete with at most 3"))
        #expect("\(explored)".contains("both orders of two tasks are run"))
    }

    @Test func a_bound_says_what_it_leaves_out() async throws {
        let explored = try await exploreOrders(100, .depthFirst(bound: 2))
        #expect(explored.isComplete)
        #expect(explored.schedules == 17)
        #expect(explored.known == 17)
        #expect(explored.completeBound == 2)
        #expect(try #require(explored.estimate) >= 35)
        #expect("\(explored)".contains("left out  at least 18 with more"))
        #expect("\(explored)".contains("to raise  the limit of unusual decisions"))
    }

    @Test func the_other_strategies_only_count() async throws {
        let explored = try await exploreSchedules(20, strategy: .pct, seed: 5, name: "orders") { _ in }
        #expect(explored.known == nil && explored.estimate == nil && explored.completeBound == nil)
        #expect("\(explored)" == "orders passed\n  schedules 20 (PCT, seed 5)")
    }

    @Test func what_was_not_under_control_stands_below() async throws {
        let explored = try await exploreSchedules(3, seed: 5, name: "escapes", allowsEscapes: true) { _ in
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect("\(explored)".hasPrefix("escapes passed\n  schedules 3 (random, seed 5)\n  Not under control:\n  - body was resumed by Swift's own threads"))
    }
}
