import SerialQueue
import Testing

@testable import SerialQueueOperations

/// Cancelling, before, at and after the start.
@Suite struct CancelTests {
    let pool = ManualPool()
    let queue: WorkOperationQueue

    init() {
        queue = WorkOperationQueue(label: "queue", width: 1, on: pool)
    }

    @Test func what_has_not_started_never_runs_and_releases_its_closure() {
        let ran = Record<String>(), released = Counter()
        let first: WorkOperation<Int>
        do {
            let captured = Captured(releases: released)
            first = queue.add("first") {
                captured.touch()
                return 1
            }
            queue.add("second", after: first) { _ in
                captured.touch()
                ran.append("second")
            }
        }
        queue.add("third") { ran.append("third") }
        first.cancel()
        #expect(released.value == 1 && first.isCancelled)
        pool.run()
        #expect(ran.all == ["third"])
        #expect(throws: CancellationError.self) { try first.wait() }
        #expect(queue.progress.finished == 3)
    }

    /// A thread makes an operation ready and leaves the lock; before it posts a lane, another lane runs that operation, the last one of a
    /// queue whose handle is gone.
    @Test func a_lane_is_posted_after_the_last_operation_of_its_queue() throws {
        let predecessor = WorkOperation("predecessor") {}, after = Guarded(Aftermath()), released = Counter()
        let last: WorkOperation<Void>
        do {
            let queue = WorkOperationQueue(label: "two", width: 2, on: pool), captured = Captured(releases: released)
            queue.add("other") {
                OperationGraph.look { OperationGraph.cancel(predecessor.node, &after.value) }
            }
            last = queue.add("last", after: predecessor, runs: .evenAfterFailure) { _ in captured.touch() }
        }
        pool.run()
        #expect(last.hasEnded && released.value == 1)
        after.value.perform()
        #expect(pool.run() == 1)  // the lane looks for operations, and finds none
    }

    @Test func what_runs_sees_its_cancellation_and_continues() throws {
        let seen = Record<Bool>()
        let queue = queue
        let itself = queue.add("running") {
            queue.cancelAll()
            seen.append(CurrentOperation.isCancelled)
            return 1
        }
        pool.run()
        #expect(seen.all == [true])
        #expect(try itself.wait() == 1)
        #expect(itself.isCancelled && !CurrentOperation.isCancelled)
        #expect(CurrentOperation.label == nil)
    }

    @Test func the_task_of_an_async_operation_is_cancelled() {
        let gate = WorkGroup(label: "left after the cancellation"), seen = Record<String?>()
        gate.enter()
        let operation = queue.add("async") { () async throws -> Int in
            seen.append(CurrentOperation.label)
            try await gate.wait()
            return 1
        }
        pool.run()
        #expect(!operation.hasEnded)
        operation.cancel()
        pool.run()
        #expect(throws: CancellationError.self) { try operation.result?.get() }
        #expect(seen.all == ["async"])
        gate.leave()
    }

    @Test func cancelled_while_suspended_it_ends_at_once() {
        queue.suspend()
        let operation = queue.add { 1 }
        operation.cancel()
        #expect(throws: CancellationError.self) { try operation.result?.get() }
        queue.resume()
        pool.run()
        #expect(queue.progress == WorkProgress(finished: 1, total: 1))
    }

    @Test func cancelled_before_it_is_added_it_only_counts() throws {
        let operation = WorkOperation("late") { 1 }
        operation.cancel()
        try queue.add(operation)
        pool.run()
        #expect(throws: CancellationError.self) { try operation.result?.get() }
        #expect(queue.progress == WorkProgress(finished: 1, total: 1))
    }

    @Test func cancel_all_reaches_what_waits_and_what_runs() {
        let ran = Counter(), seen = Record<Bool>(), queue = queue
        queue.add("running") {
            for priority in OperationPriority.allCases {
                queue.add(after: queue.add(priority: priority) { ran.increment() }) { _ in ran.increment() }
            }
            let late = WorkOperation("not added") { 1 }
            queue.add("waits", after: late) { _ in ran.increment() }
            queue.cancelAll()
            seen.append(CurrentOperation.isCancelled)
            late.cancel()
        }
        pool.run()
        #expect(ran.value == 0 && seen.all == [true])
        #expect(queue.progress == WorkProgress(finished: 8, total: 8))
        queue.add { ran.increment() }
        pool.run()
        #expect(ran.value == 1)
    }

    @Test func a_chain_of_a_hundred_thousand_ends_without_recursion() throws {
        let first = queue.add { 0 }
        var last = first
        for _ in 1...100_000 { last = queue.add(after: last) { $0 + 1 } }
        first.cancel()
        #expect(throws: CancellationError.self) { try last.result?.get() }
    }

    @Test func a_chain_of_a_hundred_thousand_runs() throws {
        var last = queue.add { 0 }
        for _ in 1...100_000 { last = queue.add(after: last) { $0 + 1 } }
        pool.run()
        #expect(try last.wait() == 100_000)
    }

    @Test func a_cancelled_caller_stops_waiting() async throws {
        let operation = queue.add("never") { 1 }
        let task = Task { try await operation.value }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!operation.hasEnded)
        pool.run()
        #expect(try await operation.value == 1)
    }
}
