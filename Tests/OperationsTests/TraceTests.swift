import Foundation
import SerialQueue
import SerialQueueTesting
import Testing

@testable import SerialQueueOperations

/// What a trace and the drawing of an exploration say about operations.
@Suite(.serialized) struct TraceTests {
    @Test func operations_are_recorded_with_their_labels_on_lanes_of_their_queue() async {
        // A process of its own: there is one trace at a time.
        await #expect(processExitsWith: .success) {
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("operations-\(UUID())").path
            defer { try? FileManager.default.removeItem(atPath: path) }
            try SerialQueue.startTrace(path)
            let queue = WorkOperationQueue(label: "com.example.kitchen", width: 1)
            let eggs = queue.add("com.example.fry-eggs") { 2 }
            let tea = queue.add("com.example.make-tea", after: eggs) { eggs async in eggs + 1 }
            let value = try await tea.value
            precondition(value == 3)
            await queue.drain()
            try SerialQueue.stopTrace()
            let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
            precondition(text.contains("lane 1 of com.example.kitchen"))
            precondition(text.contains("com.example.fry-eggs"))
            precondition(text.contains("operation com.example.make-tea"))
        }
    }

    @Test func an_exploration_shows_the_labels_of_operations() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(1, name: "drawn") { pool in
                let queue = WorkOperationQueue(label: "kitchen", width: 1, on: pool)
                let tea = queue.add("make tea") { 1 }
                let eggs = queue.add("fry eggs") { 2 }
                _ = try await (tea.value, eggs.value)
                try pool.require(false, "to see the report")
            }
        }
        let report = failure?.description ?? ""
        #expect(report.contains("make tea, fry eggs"), "\(report)")  // the lane ran both, one after the other
        #expect(report.contains("lane 1 of kitche"))
    }
}
