import SerialQueue
import SerialQueueTesting
import Testing

/// This package's own Swift code, explored.
@Suite struct OwnQueuesTests {
    private actor Log {
        nonisolated let queue = ActorQueue<Log>()
        private(set) var lines: [Int] = []

        init() {
            queue.adoptExecutionContext(of: self)
        }

        func add(_ line: Int) {
            lines.append(line)
        }
    }

    @Test func an_actor_queue_starts_tasks_in_order() async throws {
        try await exploreSchedules(2_000) { pool in
            let log = Log()
            for line in 1...3 { log.queue.enqueue { $0.add(line) } }
            async let other: Void = log.add(0)
            await log.queue.enqueueAndWait { $0.add(4) }
            await other
            try pool.require(await log.lines.filter { $0 > 0 } == [1, 2, 3, 4], "the order is wrong")
        }
    }

    @Test(arguments: [true, false]) func a_fifo_queue_runs_one_task_after_the_other(isOnPool: Bool) async throws {
        try await exploreSchedules(2_000, name: "fifo-\(isOnPool)") { pool in
            let fifo = FIFOQueue(on: isOnPool ? SerialQueue(label: "fifo", on: pool) : nil)
            let log = Log()
            for task in 1...3 {
                fifo.enqueue {
                    await log.add(task)
                    await Task.yield()
                    await log.add(-task)
                }
            }
            await fifo.drain()
            try pool.require(await log.lines == [1, -1, 2, -2, 3, -3], "tasks interleave")
        }
    }

    @Test func a_semaphore_loses_no_permit_when_its_waiters_are_cancelled() async throws {
        try await exploreSchedules(2_000) { pool in
            let semaphore = SerialQueue.Semaphore(label: "permits", value: 1)
            let log = Log()
            let tasks = (1...3).map { number in
                Task { try await semaphore.withPermit { await log.add(number) } }
            }
            tasks[1].cancel()
            for task in tasks { _ = await task.result }
            try semaphore.wait(within: .zero)  // throws if there is none
            try pool.require(await log.lines.count >= 2, "a waiter was skipped")
        }
    }

    @Test func a_group_wait_ends_after_its_members() async throws {
        try await exploreSchedules(2_000) { pool in
            let group = WorkGroup(label: "members")
            let queues = (1...2).map { SerialQueue(label: "queue \($0)", on: pool) }
            let done = Count()
            for queue in queues { queue.async(in: group) { done.number += 1 } }
            let cancelled = Task { try await group.wait() }
            cancelled.cancel()
            try await group.wait()
            try pool.require(done.number == 2, "the wait ended early")
            _ = await cancelled.result
        }
    }

    @Test func an_item_has_one_outcome() async throws {
        try await exploreSchedules(2_000) { pool in
            let queue = SerialQueue(label: "items", on: pool)
            let ran = Count()
            let item = WorkItem(label: "item") { ran.number += 1 }
            queue.async(item)
            let canceller = Task { item.cancel() }
            let outcome = try await item.outcome
            let wasCancelled = await canceller.value
            try pool.require((outcome == .ran) == (ran.number == 1), "it ran and did not run")
            try pool.require((outcome == .cancelled) == wasCancelled, "the canceller got another answer")
        }
    }

    @Test func an_awaited_shutdown_comes_after_all_that_was_accepted() async throws {
        try await exploreSchedules(2_000) { pool in
            let queue = SerialQueue(label: "ends", on: pool)
            let ran = Count()
            let submitters = (1...2).map { _ in Task { queue.async { ran.number += 1 } } }
            await Task.yield()
            try await queue.shutdown()
            let ranBefore = ran.number
            var accepted = 0
            for submitter in submitters where await submitter.value { accepted += 1 }
            try pool.require(ran.number == accepted && ran.number == ranBefore, "an accepted task did not run before the end")
        }
    }

    @Test func once_runs_once() async throws {
        try await exploreSchedules(2_000) { pool in
            let once = Once(), ran = Count()
            let queues = (1...3).map { SerialQueue(label: "queue \($0)", on: pool) }
            let group = WorkGroup(label: "callers")
            for queue in queues {
                queue.async(in: group) { once.run { ran.number += 1 } }
            }
            try await group.wait()
            try pool.require(ran.number == 1, "it ran \(ran.number) times")
        }
    }

    /// Unchecked Sendable: only one thread at a time runs a test that is explored.
    private final class Count: @unchecked Sendable {
        var number = 0
    }
}
