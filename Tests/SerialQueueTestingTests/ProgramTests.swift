import SerialQueue
import SerialQueueTesting
import Testing

/// Twelve programs as users write them, with one planted bug each.
@Suite struct ProgramTests {
    @Test(arguments: Program.all) func finds_the_bug_soon(_ program: Program) async throws {
        var schedules: [Int] = []
        for seed in 1...9 as ClosedRange<UInt64> {
            do {
                try await exploreSchedules(10_000, seed: seed, name: program.name, program.broken)
                Issue.record("not found with seed \(seed)")
            } catch let failure as ExplorationFailure {
                schedules.append(failure.schedules)
                #expect(failure.escapes == [])
            }
        }
        let median = schedules.sorted()[schedules.count / 2]
        print(program.name, "median", median, "most", schedules.max()!)
        #expect(median <= 100)
    }

    @Test(arguments: Program.all) func passes_without_the_bug(_ program: Program) async throws {
        let explored = try await exploreSchedules(1_000, name: program.name, program.correct)
        #expect(explored.schedules == 1_000)
    }
}
