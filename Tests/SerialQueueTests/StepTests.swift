import Testing

@testable import SerialQueue
@testable import SerialQueueOrdered

/// The states that several functions change: what each step of each of them leads to.
struct StepTests {
    /// Lines are stages, columns what they are left for: neither, awaited, completed.
    @Test func theSecondSideOfACompletionResumesTheCaller() {
        let table: [(stage: CompletionStage, resumes: [Bool?])] = [
            (.neither, [nil, false, false]),
            (.awaited, [nil, nil, true]),
            (.completed, [nil, true, nil]),
        ]
        #expect(table.map(\.stage) == CompletionStage.allCases)
        for (stage, resumes) in table {
            #expect(CompletionStage.allCases.map { stage.resumesCaller(onStepTo: $0) } == resumes, "from \(stage)")
        }
    }

    @Test func aSecondOutcomeEndsTheProgram() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let completion = Completion<Int>()
            completion.complete(1)
            completion.complete(2)
        }
        #expect(String(decoding: child.standardErrorContent, as: UTF8.self).contains("a call was completed twice: this is a bug"))
    }

    /// Columns: away, inLoop, ended.
    @Test func oneOfTheLoopAndTheTasksEndGetsTheBaton() {
        typealias Whereabouts = FIFOTurn.Whereabouts
        let table: [(place: Whereabouts, gets: [Bool?])] = [
            (.away, [nil, false, true]),
            (.inLoop, [false, nil, false]),
            (.ended, [true, nil, nil]),
        ]
        #expect(table.map(\.place) == Whereabouts.allCases)
        for (place, gets) in table {
            #expect(Whereabouts.allCases.map { place.getsBaton(onStepTo: $0) } == gets, "from \(place)")
        }
    }

    /// Columns: firingBegins, firingEnds, take.
    @Test func aTimersClosureIsReleasedOnceAndNotWhileItFires() {
        typealias Stage = TimerBody.Stage
        let table: [(stage: Stage, after: [(stage: Stage, action: Stage.Action)?])] = [
            (.waits, [(.fires, .call), nil, (.taken, .release)]),
            (.fires, [nil, (.waits, .nothing), (.takenWhileItFires, .nothing)]),
            (.taken, [(.taken, .nothing), nil, (.taken, .nothing)]),
            (.takenWhileItFires, [nil, (.taken, .release), (.takenWhileItFires, .nothing)]),
        ]
        #expect(table.map(\.stage) == Stage.allCases)
        for (stage, after) in table {
            for (event, expected) in zip(Stage.Event.allCases, after) {
                let found = stage.after(event)
                #expect(found?.stage == expected?.stage && found?.action == expected?.action, "\(event) in \(stage)")
            }
        }
    }
}
