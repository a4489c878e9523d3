import Testing

@testable import SerialQueueOperations

struct StageTests {
    typealias Stage = OperationNode.Stage

    /// In the order of the events: waits, isFree, starts, ends.
    static let table: [(stage: Stage, after: [Stage?])] = [
        (.made, [.pending, .ready, nil, .ended]),
        (.pending, [nil, .ready, nil, .ended]),
        (.ready, [nil, nil, .running, .ended]),
        (.running, [nil, nil, nil, .ended]),
        (.ended, [nil, nil, nil, nil]),
    ]

    @Test func eachEventLeadsFromEachStageToTheOneInTheTable() {
        #expect(Self.table.map(\.stage) == Stage.allCases)
        for (stage, after) in Self.table {
            #expect(Stage.Event.allCases.map { stage.after($0) } == after, "from \(stage)")
        }
    }

    @Test func anEventThatCannotComeEndsTheProgram() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let node = ValueNode<Int>("late", .normal, runsAfterFailure: false, .sync { 1 })
            node.step(.ends)
            node.step(.starts)
        }
        #expect(String(decoding: child.standardErrorContent, as: UTF8.self).contains("operation \"late\" is ended, and starts: this is a bug"))
    }
}
