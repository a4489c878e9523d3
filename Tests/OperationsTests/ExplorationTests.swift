import SerialQueue
import SerialQueueTesting
import Testing

@testable import SerialQueueOperations

/// Races of cancel, finish, add, wait and release, under many schedules. Each test also checks that both outcomes of its race were
/// seen. A task can be interrupted at each call, because the calls take the graph's lock.
@Suite struct ExplorationTests {
    @Test func a_cancel_against_the_end_of_a_predecessor() async throws {
        let seen = Record<Int>()
        try await exploreSchedules(2_000) { pool in
            let queue = WorkOperationQueue(label: "queue", width: 2, on: pool), starts = Counter(), released = Counter()
            let first = queue.add("first") { 1 }
            let second = secondOperation(of: queue, after: first, starts, released)
            let third = queue.add("third", after: second, runs: .evenAfterFailure) { second in (try? second.get()) ?? 0 }
            let cancels = Task {
                await Task.yield()
                second.cancel()
            }
            let value = try await third.value
            await cancels.value
            try pool.require(second.hasEnded && released.value == 1, "the closure was not released once")
            try pool.require(value == (starts.value == 1 ? 2 : 0), "\(value) after \(starts.value) starts")
            await queue.drain()  // the first may still run
            try pool.require(queue.progress == WorkProgress(finished: 3, total: 3), "\(queue.progress)")
            seen.append(value)
        }
        #expect(Set(seen.all) == [0, 2])
    }

    private nonisolated func secondOperation(
        of queue: WorkOperationQueue, after first: WorkOperation<Int>, _ starts: Counter, _ released: Counter
    ) -> WorkOperation<Int> {
        let captured = Captured(releases: released)
        return queue.add("second", after: first) { first in
            captured.touch()
            starts.increment()
            return first + 1
        }
    }

    @Test func two_tasks_close_one_cycle() async throws {
        let seen = Record<Int>()
        try await exploreSchedules(500) { pool in
            let queue = WorkOperationQueue(label: "queue", width: 1, on: pool), refused = Record<Int>()
            let all = (0...2).map { number in WorkOperation("\(number)") { number } }
            let tasks = (0...2).map { number in
                Task {
                    do throws(WorkOperationError) { try all[number].add(dependency: all[(number + 1) % 3]) } catch {
                        let path = (0...3).map { "\((number + $0) % 3)" }
                        refused.append(number)
                        try pool.require(error == .cycle(path), "\(error)")
                    }
                    try queue.add(all[number])
                }
            }
            for task in tasks { try await task.value }
            for operation in all { _ = try await operation.value }
            try pool.require(refused.all.count <= 1, "\(refused.all) were refused")
            seen.append(refused.all.first ?? -1)
        }
        // -1: one was added to the queue before another one depended on it; then it needs nothing.
        #expect(Set(seen.all).isSuperset(of: [0, 1, 2]))
    }

    @Test(arguments: [false, true]) func the_queue_is_dropped_while_operations_wait(isSuspended: Bool) async throws {
        try await exploreSchedules(1_000, name: "dropped-\(isSuspended)") { pool in
            let ran = Counter(), released = Counter()
            let other = WorkOperationQueue(label: "other", width: 1, on: pool)
            let first = other.add("first") { ran.increment() }
            let last = dropped(after: first, on: pool, isSuspended, ran, released)
            let value = try await last.value
            try pool.require(value == 3 && ran.value == 3, "\(ran.value) ran")
            await other.drain()
            try pool.require(released.value == 1, "the closure was not released")
        }
    }

    /// Adds two operations to a queue whose handle a task drops.
    private nonisolated func dropped(
        after first: WorkOperation<Int>, on pool: ManualPool, _ isSuspended: Bool, _ ran: Counter, _ released: Counter
    ) -> WorkOperation<Int> {
        let queue = WorkOperationQueue(label: "dropped", width: 2, on: pool), captured = Captured(releases: released)
        if isSuspended { queue.suspend() }
        let second = queue.add("second", after: first) { _ in
            captured.touch()
            return ran.increment()
        }
        let last = queue.add("last", after: second) { _ in ran.increment() }
        Task { withExtendedLifetime(queue) {} }
        return last
    }

    @Test func a_wait_that_the_width_keeps_out() async throws {
        try await exploreSchedules(1_000) { pool in
            let queue = WorkOperationQueue(label: "queue", width: 2, on: pool), refused = Counter()
            let last = WorkOperation("last") { 1 }
            queue.suspend()  // until both are there
            let outers = (0...1).map { number in
                queue.add("outer \(number)") {
                    if number == 0 { try queue.add(last) }
                    do { return try last.wait() } catch SerialQueueError.deadlock { return refused.increment() + 1 }
                }
            }
            queue.resume()
            var values: [Int] = []
            for outer in outers { values.append(try await outer.value) }
            try pool.require(refused.value == 1 && values.sorted() == [1, 2], "\(refused.value) were refused")
            try pool.require(try await last.value == 1)
        }
    }

    /// What changes after the wait has begun: the operation that it is for is added to a queue, the queue starts another operation, or a
    /// predecessor ends that needs no thread.
    enum Change: CaseIterable { case added, started, predecessorEnded }

    /// The same through a serial queue: an exploration fails at a deadlock, and its failure names it.
    @Test(arguments: Change.allCases) func a_wait_in_a_task_that_the_width_keeps_out(change: Change) async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(100_000, strategy: .pct, name: "task-\(change)") { pool in
                let queue = WorkOperationQueue(label: "queue", width: 1, on: pool), serial = SerialQueue(label: "store", on: pool)
                let other = WorkOperationQueue(label: "other", width: 1, on: pool)
                let inner = WorkOperation("inner") {}
                if change != .added {
                    other.suspend()
                    queue.suspend()
                    if change == .predecessorEnded { try inner.add(dependency: other.add("first") { await Task.yield() }) }
                } else {
                    serial.async { try? inner.wait() }
                    try await Task.sleep(for: .milliseconds(1), clock: pool.clock)  // until nothing else can happen
                }
                queue.add("outer") { try? serial.sync(within: .seconds(3_600)) {} }
                try queue.add(inner)
                if change != .added {
                    serial.async { try? inner.wait() }
                    try await Task.sleep(for: .milliseconds(1), clock: pool.clock)  // until nothing else can happen
                    queue.resume()
                    try await Task.sleep(for: .milliseconds(1), clock: pool.clock)
                    other.resume()
                }
                try await inner.value
                try await serial.run {}
            }
        }
        #expect(failure?.message.contains("waits for queue \"store\"") == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("waits for item \"inner\", which is in queue \"lane 1 of queue\"") == true)
    }

    /// A wait inside an operation, its cancellation, and the cancellation of what it is for.
    @Test func an_await_against_two_cancellations() async throws {
        try await exploreSchedules(2_000) { pool in
            let queue = WorkOperationQueue(label: "queue", width: 2, on: pool)
            let inner = WorkOperation("inner") { 1 }
            let outer = queue.add("explored") { () async -> Bool in
                do { return try await inner.value == 1 } catch { return error is CancellationError }
            }
            let tasks = [Task { outer.cancel() }, Task { inner.cancel() }, Task { _ = try? queue.add(inner) }]
            for task in tasks { await task.value }
            _ = try? await inner.value
            let isRight = try? await outer.value  // nil: cancelled before it began
            try pool.require(isRight != false, "another error")
            let left = OperationGraph.look { OperationGraph.blockedWaits.contains { $0.blocked?.label == "explored" } }
            try pool.require(!left, "a wait was left")
        }
    }
}
