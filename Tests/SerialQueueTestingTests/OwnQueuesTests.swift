import SerialQueue
import SerialQueueOrdered
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

    @Test(arguments: [true, false]) func cancel_all_cancels_what_was_enqueued_before_and_nothing_else(isOnPool: Bool) async throws {
        try await exploreSchedules(2_000, name: "cancel-\(isOnPool)") { pool in
            let fifo = FIFOQueue(on: isOnPool ? SerialQueue(label: "fifo", on: pool) : nil)
            let hasCancelled = Count(), wrong = Count()
            for _ in 1...2 {
                fifo.enqueue {
                    await Task.yield()
                    if hasCancelled.number == 1 && !Task.isCancelled { wrong.number += 1 }
                }
            }
            let canceller = Task {
                fifo.cancelAll()
                hasCancelled.number = 1
                await fifo.enqueueAndWait {
                    await Task.yield()
                    if Task.isCancelled { wrong.number += 100 }
                }
            }
            await canceller.value
            try pool.require(wrong.number < 100, "a later task was cancelled")
            try pool.require(wrong.number == 0, "an earlier task was not cancelled")
        }
    }

    @Test func a_drain_of_an_actor_queue_ends_after_the_tasks_before_it() async throws {
        try await exploreSchedules(2_000) { pool in
            let log = Log(), other = Log()
            for line in 1...2 {
                log.queue.enqueue {
                    await other.add(line)
                    $0.add(line)
                }
            }
            await log.queue.drain()
            try pool.require(await log.lines.sorted() == [1, 2], "a task ends after the drain")
        }
    }

    /// A cancellation against the end of a drain, for each kind of queue. The queue drains as before afterwards.
    @Test(arguments: 0..<3) func a_drain_that_is_cancelled_has_ended_or_left(kind: Int) async throws {
        let drain = LeftDrain()
        try await exploreSchedules(2_000, name: "left-\(kind)") { pool in
            let queue = SerialQueue(label: "drained", on: pool), log = Log(), fifo = FIFOQueue(on: kind == 1 ? queue : nil)
            let end: @Sendable () async throws -> Void =
                switch kind {
                case 0: { try await queue.drain(within: nil) }
                case 1: { try await fifo.drain(within: nil) }
                default: { try await log.queue.drain(within: nil) }
                }
            let done = Count()
            switch kind {
            case 0: queue.async { done.number += 1 }
            case 1:
                fifo.enqueue {
                    await Task.yield()
                    done.number += 1
                }
            default:
                let other = Log()
                log.queue.enqueue { _ in
                    await other.add(1)
                    done.number += 1
                }
            }
            try await drain.cancel(on: pool, done, end)
            try pool.require(queue.depth == 0, "the queue was changed")
        }
        #expect(drain.hasBoth)
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
            let cancelled = Task {
                try await group.wait()
                return done.number
            }
            let canceller = Task { cancelled.cancel() }
            try await group.wait()
            try pool.require(done.number == 2, "the wait ended early")
            if case .success(let number) = await cancelled.result { try pool.require(number == 2, "the cancelled wait ended early") }
            await canceller.value
        }
    }

    @Test func an_item_has_one_outcome() async throws {
        try await exploreSchedules(2_000) { pool in
            let queue = SerialQueue(label: "items", on: pool)
            let ran = Count()
            let item = WorkItem(label: "item") {
                pool.yield()
                ran.number += 1
            }
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
            let once = Once(), ran = Count(), seen = Count()
            let queues = (1...3).map { SerialQueue(label: "queue \($0)", on: pool) }
            let group = WorkGroup(label: "callers")
            for queue in queues {
                queue.async(in: group) {
                    once.run {
                        pool.yield()
                        ran.number += 1
                    }
                    seen.number = max(seen.number, ran.number == 1 ? 0 : 1)
                }
            }
            try await group.wait()
            try pool.require(ran.number == 1, "it ran \(ran.number) times")
            try pool.require(seen.number == 0, "a call returned before the closure had run")
        }
    }}
