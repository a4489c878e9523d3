import Foundation
import SerialQueue
import SerialQueueTesting
import Testing

/// Twelve programs as users write them, with one planted bug each.
@Suite struct ProgramTests {
    /// `make explore-swift` has 100,000.
    private static let schedules = ProcessInfo.processInfo.environment["EXPLORE_SCHEDULES"].flatMap { Int($0) } ?? 1_000

    @Test(arguments: Program.all) func the_bug_is_found_soon_and_shrunk(_ program: Program) async throws {
        let least = try await #require(failure(of: program, seed: nil, .depthFirst)).choicesThatMatter
        var schedules: [Int] = []
        for seed in 1...9 as ClosedRange<UInt64> {
            guard let failure = await failure(of: program, seed: seed, .random) else { continue }
            schedules.append(failure.schedules)
            #expect(failure.escapes == [])
            #expect(failure.isRepeatable)
            #expect(failure.choicesThatMatter >= least && 2 * failure.choicesThatMatter <= 3 * least)
        }
        #expect(schedules.count == 9 && schedules.sorted()[4] <= 100)
    }

    @Test(arguments: Program.all) func the_same_without_the_bug_passes(_ program: Program) async throws {
        let explored = try await exploreSchedules(Self.schedules, name: program.name, program.correct)
        #expect(explored.schedules > 100)
    }

    private func failure(of program: Program, seed: UInt64?, _ strategy: ExplorationStrategy) async -> ExplorationFailure? {
        await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(10_000, strategy: strategy, seed: seed, name: program.name, program.broken)
        }
    }
}
