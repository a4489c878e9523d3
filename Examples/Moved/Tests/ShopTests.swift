import SerialQueue
import SerialQueueDispatchTesting
import SerialQueueTesting
import Testing

@testable import moved

/// The shop was written for Dispatch, and is unchanged: its queues are made in `DispatchTesting.run`, so they are on the pool.
@Suite struct ShopTests {
    @Test func an_exploration_finds_the_planted_race() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(500) { pool in
                try DispatchTesting.run(on: pool) {
                    let day = openingDay()
                    try pool.require(day.left == 0 && day.receipts == 1, "left: \(day.left), receipts: \(day.receipts)")
                }
            }
        }
        #expect(failure?.message.contains("left: -1, receipts: 2") == true)
        #expect(failure?.isRepeatable == true)
        #expect(failure?.description.contains("com.example.till-right") == true)
    }

    @Test func an_exploration_names_the_planted_deadlock() async throws {
        let report = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try await exploreSchedules(50) { pool in
                DispatchTesting.run(on: pool) { stocktaking() }
            }
        }
        let text = String(decoding: report.standardErrorContent, as: UTF8.self)
        #expect(text.contains("com.example.stock"))
        #expect(text.contains("com.example.till-left"))
    }
}
