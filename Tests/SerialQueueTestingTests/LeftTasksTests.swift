import CSerialQueue
import SerialQueue
import SerialQueueTesting
import Testing

/// Tasks that outlive their run: they belong to no other one.
@Suite struct LeftTasksTests {
    private actor Flag {
        private(set) var isSet = false

        func set() {
            isSet = true
        }

        func waitByPolling() async {
            while !isSet { await Task.yield() }
        }
    }

    /// Nothing sets it. The poll is in a task, and on an actor.
    private static let endless: [@Sendable (ManualPool) async throws -> Void] = [
        { _ in
            let flag = Flag()
            while await !flag.isSet { await Task.yield() }
        },
        { _ in await Flag().waitByPolling() },
        { _ in
            let flag = Flag()
            Task { await flag.waitByPolling() }
            await flag.waitByPolling()
        },
    ]

    @Test(arguments: endless.indices) func a_test_without_end_leaves_no_trace_in_the_next(_ index: Int) async throws {
        let failure = await #expect(throws: ExplorationFailure.self) { try await exploreSchedules(10, Self.endless[index]) }
        #expect(failure?.message.contains("no end: more than 10000 steps") == true)
        for _ in 1...3 {
            let explored = try await exploreSchedules(10) { pool in
                let flag = Flag()
                await flag.set()
                try pool.require(await flag.isSet)
            }
            #expect(explored.schedules == 10)
        }
    }

    @Test func an_actor_that_an_abandoned_run_used_serves_the_next_test() async throws {
        let shared = Flag()
        await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(10) { _ in await shared.waitByPolling() }
        }
        let explored = try await exploreSchedules(10) { pool in
            await shared.set()
            try pool.require(await shared.isSet)
        }
        #expect(explored.schedules == 10)
        #expect(await shared.isSet)
    }

    @Test func a_failure_is_reported_although_a_task_polls_on() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(10) { pool in
                Task { while !Task.isCancelled { await Task.yield() } }
                try pool.require(false, "the real failure")
            }
        }
        #expect(failure?.message.hasSuffix("the real failure") == true)
        #expect(failure?.isRepeatable == true)
    }

    @Test func a_task_that_polls_on_after_a_test_that_passed_is_a_failure_and_said_to_be_so() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(10) { _ in
                Task { while !Task.isCancelled { await Task.yield() } }
            }
        }
        #expect(failure?.message.contains("no end: more than 10000 steps") == true)
        #expect(failure?.description.contains("The test had ended, but a task that it left had not") == true)
    }

    /// A test leaves a task, which waits for a continuation.
    private static func leave(_ waits: Waits) -> @Sendable (ManualPool) async throws -> Void {
        { _ in waits.add(Task { await waits.wait() }) }
    }

    @Test func a_task_that_a_later_run_of_its_test_resumes_is_an_escape() async throws {
        let waits = Waits()
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(10) { pool in
                waits.resumeAll()
                try await Self.leave(waits)(pool)
            }
        }
        #expect(failure?.escapes == ["A task of an earlier run was resumed by a later run: the test shares state between its runs."])
        waits.resumeAll()
        await waits.end()
    }

    @Test func a_task_that_comes_during_another_test_runs_elsewhere_and_its_own_test_is_named() async throws {
        let child = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let waits = Waits()
            try await exploreSchedules(3, name: "guilty", Self.leave(waits))
            let explored = try await exploreSchedules(10, name: "innocent") { pool in
                let flag = Flag()
                waits.resumeAll()
                await flag.set()
                try pool.require(await flag.isSet)
            }
            precondition(explored.schedules == 10 && explored.escapes.isEmpty)
            await waits.end()
        }
        let said = String(decoding: child.standardErrorContent, as: UTF8.self)
        #expect(said.contains("exploreSchedules: guilty has ended, but not all of it was under control: A task of an earlier run"))
        #expect(!said.contains("innocent"))
    }

    /// Continuations that nothing on a pool resumes, and the tasks that wait for them. Unchecked Sendable: its queue guards it.
    private final class Waits: @unchecked Sendable {
        private let queue = SerialQueue(label: "waits")
        private var waiting: [CheckedContinuation<Void, Never>] = []
        private var tasks: [Task<Void, Never>] = []

        func add(_ task: Task<Void, Never>) { queue.sync { tasks.append(task) } }

        func wait() async {
            await withCheckedContinuation { continuation in queue.sync { waiting.append(continuation) } }
        }

        func resumeAll() {
            let all = queue.sync { () -> [CheckedContinuation<Void, Never>] in
                defer { waiting = [] }
                return waiting
            }
            for one in all { one.resume() }
        }

        func end() async {
            for task in queue.sync({ tasks }) { await task.value }
        }
    }
}
