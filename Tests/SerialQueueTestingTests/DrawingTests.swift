import SerialQueue
import SerialQueueTesting
import Testing

/// What stands in the timeline of a failure.
@Suite struct DrawingTests {
    @Test func closures_have_the_name_of_the_function_that_they_are_from() async throws {
        let report = await report { pool in
            let queue = SerialQueue(label: "queue", on: pool), group = WorkGroup(label: "group")
            Self.submitPlainly(to: queue)
            Self.submitMember(to: queue, in: group)
            Self.submitLater(to: queue)
            let item = Self.submitItem(to: queue)
            let timer = Self.startTimer(on: queue)
            pool.advance(by: .seconds(1))
            withExtendedLifetime((item, timer)) {}
        }
        for name in ["submitPlainly", "submitMember"] {
            #expect(report.contains("[ \(SwiftABI.isUsed ? "closure #1 in " : "")DrawingTests.\(name) ]"))
        }
        for name in ["submitLater", "submitItem", "startTimer"] {
            #expect(report.contains("[ closure #1 in DrawingTests.\(name) ]"))
        }
        #expect(!report.contains("[ runs"))
    }

    /// Also where they are in other closures, as all are in this one.
    @Test(.enabled(if: SwiftABI.isUsed, "the portable form has the name of the function"))
    func two_closures_of_a_function_have_two_names() async throws {
        let report = await report { pool in
            let queue = SerialQueue(label: "queue", on: pool)
            queue.async {}
            queue.async { queue.async {} }
        }
        for number in ["1.1", "1.2", "1.2.1"] {
            #expect(report.contains("[ closure #\(number) in DrawingTests.two_closures_of_a_function_have_two_names ]"))
        }
    }

    @Test func a_work_item_has_its_label() async throws {
        let report = await report { pool in
            SerialQueue(label: "queue", on: pool).async(WorkItem(label: "page 7") {})
        }
        #expect(report.contains("[ page 7 ]"))
    }

    @Test func a_sync_does_not_name_what_the_library_calls() async throws {
        let report = await report { pool in
            let queue = SerialQueue(label: "queue", on: pool), caller = SerialQueue(label: "caller", on: pool)
            caller.async { queue.sync {} }
        }
        #expect(report.contains("sync onto \"queue\"\n"))
        #expect(!report.contains("call_closure"))
    }

    @Test func sleepers_are_told_apart_by_their_task_and_deadline() async throws {
        let report = await report { pool in
            async let first: Void = Task.sleep(for: .seconds(1), clock: pool.clock)
            async let second: Void = Task.sleep(for: .seconds(2), clock: pool.clock)
            _ = try await (first, second)
        }
        #expect(report.contains("the timer of queue \"sleep of task 1 until 1.0 seconds\" fires"))
        #expect(report.contains("the timer of queue \"sleep of task 2 until 2.0 seconds\" fires"))
    }

    private func report(_ body: @escaping @Sendable (ManualPool) async throws -> Void) async -> String {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(1, name: "drawn") { pool in
                try await body(pool)
                pool.run()
                try pool.require(false, "to see the report")
            }
        }
        return failure?.description ?? ""
    }

    private static func submitPlainly(to queue: SerialQueue) {
        queue.async {}
    }

    private static func submitMember(to queue: SerialQueue, in group: WorkGroup) {
        queue.async(in: group) {}
    }

    private static func submitLater(to queue: SerialQueue) {
        queue.asyncAfter(.milliseconds(1)) {}
    }

    private static func submitItem(to queue: SerialQueue) -> WorkItem {
        let item = WorkItem {}
        queue.async(item)
        return item
    }

    private static func startTimer(on queue: SerialQueue) -> SerialQueue.Timer {
        queue.makeTimer(every: .seconds(1)) {}
    }
}
