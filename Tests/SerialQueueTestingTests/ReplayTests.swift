import Foundation
import SerialQueue
import SerialQueueTesting
import Testing

/// Tapes and seeds.
@Suite struct ReplayTests {
    @Test func a_failure_is_replayed_in_another_process() async throws {
        let found = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(name: "replayed", Program.assumedOrder.broken)
        }
        let tape = try #require(found?.tape), message = try #require(found?.message)
        #expect(tape.hasPrefix("replayed/"))
        let child = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) { [tape = tape as String, message = message as String] in
            setenv("SQ_TAPE", tape, 1)
            do {
                // Of a billion schedules only the tape is run.
                try await exploreSchedules(1_000_000_000, name: "replayed", Program.assumedOrder.broken)
            } catch let failure as ExplorationFailure {
                precondition(failure.message == message && failure.schedules == 1, failure.description)
                FileHandle.standardError.write(Data("the same failure".utf8))
            }
        }
        #expect(String(decoding: child.standardErrorContent, as: UTF8.self).contains("the same failure"))
    }

    private func `the user's cart / "basket" & $HOME `() async -> ExplorationFailure? {
        await #expect(throws: ExplorationFailure.self) { try await exploreSchedules(1_000, Program.assumedOrder.broken) }
    }

    private func named(_ name: String) async -> ExplorationFailure? {
        await #expect(throws: ExplorationFailure.self) { try await exploreSchedules(name: name, Program.assumedOrder.broken) }
    }

    /// The shell reads the command as it is printed, and the tape is of the test.
    @Test func the_command_that_is_printed_can_be_pasted_whatever_the_name_is() async throws {
        var failures = [await `the user's cart / "basket" & $HOME `()]
        for name in ["", "it's", "a/b", "two\twords\u{a0}\r\n", "\0", "`x`", "🛒", "'"] { failures.append(await named(name)) }
        for failure in failures {
            let failure = try #require(failure)
            #expect(failure.isRepeatable)
            let command = try #require(failure.description.firstMatch(of: /replay    (SQ_TAPE='.*)\n/)).1
            let shell = try #require(popen("\(command) printenv SQ_TAPE", "r"))  // not Foundation's Process, which leaks a little
            var line = [CChar](repeating: 0, count: 4096)
            _ = fgets(&line, CInt(line.count), shell)
            pclose(shell)
            let output = String(cString: line)
            #expect(output == failure.tape + "\n")
        }
        let tape = try #require(failures[0]?.tape)
        await #expect(processExitsWith: .success) { [tape = tape as String] in
            setenv("SQ_TAPE", tape, 1)
            let failure = await ReplayTests().`the user's cart / "basket" & $HOME `()
            precondition(failure?.schedules == 1 && failure?.tape == tape)
        }
    }

    @Test func a_trap_leaves_a_tape_that_traps_again() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try? await exploreSchedules(name: "trapping", Self.trapIfReversed)
        }
        let said = String(decoding: child.standardErrorContent, as: UTF8.self)
        #expect(said.contains("sq_explore: trapping ends the process by SIG"))
        let tape = String(try #require(said.firstMatch(of: /SQ_TAPE='(trapping[^']+)'/)).1)
        let replay = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) { [tape = tape as String] in
            setenv("SQ_TAPE", tape, 1)
            // Of a billion schedules only the tape is run.
            _ = try? await exploreSchedules(1_000_000_000, name: "trapping", Self.trapIfReversed)
        }
        #expect(String(decoding: replay.standardErrorContent, as: UTF8.self).contains("SQ_TAPE='\(tape)'"))
    }

    @Sendable private static func trapIfReversed(_ pool: ManualPool) async throws {
        let numbers = Count()
        let first = Task { numbers.number = 1 }
        let second = Task { precondition(numbers.number == 1, "the second came first") }
        await first.value
        await second.value
    }

    @Test func a_tape_of_another_test_is_ignored() async throws {
        await #expect(processExitsWith: .success) {
            setenv("SQ_TAPE", "another/1/-/0000", 1)
            let explored = try await exploreSchedules(10, name: "this") { _ in }
            precondition(explored.schedules == 10)
        }
    }

    @Test func the_same_seed_finds_the_same_schedule() async throws {
        var found: Set<String> = []
        for _ in 1...2 {
            let failure = await #expect(throws: ExplorationFailure.self) {
                try await exploreSchedules(seed: 7, name: "seeded", Program.leakedWaiter.broken)
            }
            found.insert("\(failure?.schedules ?? 0) \(failure?.tape ?? "")")
        }
        #expect(found.count == 1)
    }
}
