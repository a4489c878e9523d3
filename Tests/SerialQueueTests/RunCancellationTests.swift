import CTestSupport
import Glibc
import SerialQueue
import Testing

/// `run` whose caller is cancelled before its turn, at it, and after.
@Suite struct RunCancellationTests {
    let queue = SerialQueue(label: "run")
    let releases = Counter()
    let ran = Counter()

    @Test func a_caller_cancelled_before_its_turn_continues_at_once() async {
        let holdup = Holdup { queue.async($0) }
        let releases = Counter()
        let task = Task { [queue, ran] in
            let captured = Captured(releases: releases)
            do {
                try await queue.run {
                    captured.touch()
                    ran.increment()
                }
                Issue.record("it has run")
            } catch {
                #expect(error is CancellationError)
            }
        }
        await comesTrue { queue.depth == 1 }
        task.cancel()
        await task.value
        #expect(releases.value == 1, "it must be released although the queue has not reached its slot")
        #expect(queue.depth == 0)
        #expect(queue.statistics.withdrawn == 1)
        holdup.finish()
        await queue.drain()
        #expect(ran.value == 0)
        #expect(queue.statistics.ran == 2, "the holdup and the drain")
    }

    @Test func cancelled_runs_on_a_suspended_queue_leave_nothing_behind() async {
        let queue = SerialQueue(label: "suspended", capacity: 2)
        queue.suspend()
        for round in 1...500 {
            let task = Task { [ran] in try await queue.run { _ = ran.increment() } }
            await comesTrue { queue.depth == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(queue.depth == 0)
            #expect(queue.statistics.withdrawn == round)
        }
        // All the room is there again.
        #expect(queue.async {})
        #expect(queue.async {})
        #expect(!queue.async {})
        queue.resume()
        await queue.drain()
        #expect(ran.value == 0)
        #expect(queue.statistics.ran == 3)
    }

    /// A cancellation handler runs under a lock of the runtime's, which escalating the task takes, too: so what the closure
    /// captured must not be released there.
    @Test func a_cancelled_runs_captures_are_not_released_by_the_canceller() async throws {
        let (begun, cancelled) = (Gate(), Gate())
        let canceller = Guarded<UInt>(0), releaser = Guarded<UInt>(0)
        queue.async { [queue] in
            begun.open()
            cancelled.pass()
            #expect(queue.isCurrent)
        }
        begun.pass()
        let task = Task { [queue, ran] in
            let captured = Captured {
                releaser.value = id_of_this_thread()
                queue.syncOrRun {}  // as the README's deinit: it waits until the queue is free
            }
            try await queue.run {
                captured.touch()
                ran.increment()
            }
        }
        await comesTrue { queue.depth == 1 }
        let thread = TestThread {
            canceller.value = id_of_this_thread()
            task.cancel()
            cancelled.open()
        }
        thread.join()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(releaser.value != 0)
        #expect(releaser.value != canceller.value)
        #expect(ran.value == 0)
    }

    @Test func a_caller_cancelled_before_the_call_submits_nothing() async {
        let task = Task { [queue, ran] in
            while !Task.isCancelled { await Task.yield() }
            await #expect(throws: CancellationError.self) { try await queue.run { _ = ran.increment() } }
            await #expect(throws: CancellationError.self) { try await queue.submit { ran.increment() } }
        }
        task.cancel()
        await task.value
        #expect(queue.statistics.submitted == 0)
    }

    @Test func a_caller_cancelled_at_its_turn_gets_the_result() async throws {
        let (begun, end) = (Gate(), Gate())
        let task = Task { [queue] in
            let result = try await queue.run {
                begun.open()
                end.pass()
                return 7
            }
            #expect(Task.isCancelled)
            return result
        }
        await Task.detached { begun.pass() }.value
        task.cancel()
        end.open()
        #expect(try await task.value == 7)
    }

    /// The body ends itself: its error is what the caller gets.
    @Test func a_body_that_asks_can_end_early() async {
        let started = Counter()
        let task = Task { [queue] in
            try await queue.run { context in
                started.increment()
                while true { try context.checkCancellation() }
            }
        }
        await comesTrue { started.value == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await queue.drain()
        #expect(queue.statistics.withdrawn == 0)
    }

    /// It says what it said at the end.
    @Test func a_context_may_be_kept() async throws {
        let context = try await queue.run { context in context }
        #expect(!context.isCancelled)
    }

    /// Released as that of a body that does not ask: also if it never runs.
    @Test(arguments: [false, true]) func a_body_that_asks_is_released_once(isDiscarded: Bool) async throws {
        let queue = SerialQueue(label: "released"), holdup = Holdup { queue.async($0) }
        let task = Task { [releases, ran] in
            let captured = Captured(releases: releases)
            try await queue.run { _ in
                captured.touch()
                ran.increment()
            }
        }
        await comesTrue { queue.depth == 1 }
        if isDiscarded {
            #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .discard) }
        } else {
            task.cancel()
        }
        holdup.finish()
        let error = await #expect(throws: (any Error).self) { try await task.value }
        #expect(isDiscarded ? error as? SerialQueueError == .shutDown : error is CancellationError)
        #expect(ran.value == 0)
        #expect(releases.value == 1)
    }

    @Test func cancelling_afterwards_changes_nothing() async throws {
        let task = Task { [queue] in
            let result = try await queue.run { 7 }
            withUnsafeCurrentTask { $0!.cancel() }
            return result
        }
        #expect(try await task.value == 7)
        #expect(queue.statistics.ran == 1)
    }

    /// Each either ran and returned, or threw and never ran.
    @Test func cancellation_and_turn_exclude_each_other() async {
        let (returned, threw) = (Counter(), Counter())
        let count = 2_000
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { [queue, ran, releases] in
                    let captured = Captured(releases: releases)
                    let task = Task {
                        try await queue.run {
                            captured.touch()
                            ran.increment()
                        }
                    }
                    for _ in 0..<(number % 5) { await Task.yield() }
                    task.cancel()
                    switch await task.result {
                    case .success: returned.increment()
                    case .failure(let error):
                        #expect(error is CancellationError)
                        threw.increment()
                    }
                }
            }
        }
        await queue.drain()
        #expect(returned.value + threw.value == count)
        #expect(ran.value == returned.value)
        #expect(releases.value == count)
    }
}
