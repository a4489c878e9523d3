import CTestSupport
import Glibc
import SerialQueue
import Testing

@testable import SerialQueueOrdered

/// `drain(within:)` of a queue of closures, whose caller leaves early or does not.
@Suite struct DrainWithinTests {
    static let kinds: [@Sendable () -> WorkQueue] = [
        { SerialQueue(label: "drained") }, { ConcurrentQueue(label: "drained") }, { SerialQueue(label: "drained", capacity: 1) },
    ]
    let ran = Counter()

    @Test(arguments: 0..<3) func it_returns_after_everything_before_it(kind: Int) async throws {
        let queue = Self.kinds[kind](), releases = Counter()
        try await queue.drain(within: nil)
        for round in 1...20 {
            let captured = Captured(releases: releases)
            let isAccepted = queue.async { [ran] in
                captured.touch()
                ran.increment()
            }
            #expect(isAccepted)
            try await queue.drain(within: round % 2 == 0 ? nil : .seconds(hangSeconds))
            #expect(ran.value == round)
        }
    }

    /// A queue without threads: nothing but the limit can end the wait.
    @Test func after_its_limit_it_throws_and_the_queue_is_as_it_was() async throws {
        let pool = ManualPool(), queue = SerialQueue(label: "manual", on: pool)
        queue.async { [ran] in ran.increment() }
        for limit in [Duration.milliseconds(1), .zero, .seconds(-1)] {
            await #expect(throws: SerialQueueError.timedOut) { try await queue.drain(within: limit) }
            #expect(queue.depth == 1)
        }
        #expect(queue.statistics.withdrawn == 3)
        #expect(ran.value == 0)
        #expect(pool.run() == 1)
        #expect(ran.value == 1)
        let drained = Task { try await queue.drain(within: nil) }
        await comesTrue { queue.depth == 1 }
        pool.run()
        try await drained.value
    }

    /// The deadlines of the parent, of which there was one, are no use there.
    @Test(.enabled(if: !isUnderSanitizer, "ThreadSanitizer does not support new threads after a fork"))
    func in_a_forked_child_it_has_a_limit_too() async throws {
        await #expect(processExitsWith: .success) {
            let parental = SerialQueue(label: "parental", on: ManualPool())
            parental.async {}
            try? await parental.drain(within: .milliseconds(1))
            continue_in_a_forked_child()
            let queue = SerialQueue(label: "manual", on: ManualPool()), executor = SerialQueue(label: "executor")
            queue.async {}
            Task.detached(executorPreference: executor) {
                for _ in 1...2 {
                    do { try await queue.drain(within: .milliseconds(1)) } catch { precondition(error as? SerialQueueError == .timedOut) }
                }
                _exit(queue.statistics.withdrawn == 2 ? 0 : 1)
            }
            while true { pause() }  // Swift's own threads do not exist here
        }
    }

    @Test func a_cancelled_caller_leaves_at_once() async throws {
        let pool = ManualPool(), queue = SerialQueue(label: "manual", on: pool)
        queue.async { [ran] in ran.increment() }
        for limit in [nil, Duration.seconds(hangSeconds)] {
            let drained = Task { try await queue.drain(within: limit) }
            await comesTrue { queue.depth == 2 }
            drained.cancel()
            await #expect(throws: CancellationError.self) { try await drained.value }
            #expect(queue.depth == 1)
        }
        pool.run()
        #expect(ran.value == 1)
        #expect(queue.statistics.withdrawn == 2)
    }

    @Test func a_caller_cancelled_before_the_call_submits_nothing() async {
        let queue = SerialQueue(label: "drained")
        let drained = Task {
            while !Task.isCancelled { await Task.yield() }
            try await queue.drain(within: nil)
        }
        drained.cancel()
        await #expect(throws: CancellationError.self) { try await drained.value }
        #expect(queue.statistics.submitted == 0)
    }

    @Test func a_drain_needs_no_room() async throws {
        let pool = ManualPool(), queue = SerialQueue(label: "full", on: pool, capacity: 1)
        #expect(queue.async {})
        let drained = Task { try await queue.drain(within: nil) }
        await comesTrue { queue.depth == 2 || queue.statistics.rejected > 0 }
        pool.run()
        try await drained.value
    }

    @Test func many_that_leave_leave_nothing_behind() async throws {
        let queue = SerialQueue(label: "suspended", capacity: 1)
        queue.suspend()
        for _ in 1...500 {
            let drained = Task { try await queue.drain(within: .seconds(hangSeconds)) }
            await comesTrue { queue.depth == 1 }
            drained.cancel()
            await #expect(throws: CancellationError.self) { try await drained.value }
            #expect(queue.depth == 0)
        }
        #expect(queue.async {})
        #expect(!queue.async {}, "no room was made")
        queue.resume()
        try await queue.drain(within: nil)
    }

    @Test func of_a_queue_that_is_shut_down_it_awaits_the_end() async throws {
        let queue = SerialQueue(label: "ends"), holdup = Holdup { queue.async($0) }
        queue.async { [ran] in ran.increment() }
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .drain) }
        await #expect(throws: SerialQueueError.timedOut) { try await queue.drain(within: .milliseconds(1)) }
        let left = Task { try await queue.drain(within: nil) }
        await comesTrue { queue.statistics.rejected == 2 }
        left.cancel()
        await #expect(throws: CancellationError.self) { try await left.value }
        #expect(ran.value == 0)
        holdup.finish()
        try await queue.drain(within: nil)
        #expect(ran.value == 1)
        try await queue.drain(within: .zero)
    }

    @Test func a_discarded_drain_returns_too() async throws {
        let queue = SerialQueue(label: "ends"), holdup = Holdup { queue.async($0) }
        let drained = Task { try await queue.drain(within: .seconds(hangSeconds)) }
        await comesTrue { queue.depth == 1 }
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .discard) }
        holdup.finish()
        try await drained.value
    }

    @Test func an_actor_may_drain_its_own_queue() async throws {
        let queue = SerialQueue(label: "drained"), store = Store(queue)
        try await store.perform { [ran] store in
            store.queue.async { ran.increment() }
            try await store.queue.drain(within: nil)
            #expect(ran.value == 1)
            store.assertIsolated()
        }
    }

    /// Each either waited for what came before, or threw.
    @Test func a_cancellation_and_the_end_exclude_each_other() async {
        let queue = SerialQueue(label: "race"), (returned, threw) = (Counter(), Counter())
        let count = 2_000
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    let before = Counter()
                    queue.async { before.increment() }
                    let drained = Task { try await queue.drain(within: number % 2 == 0 ? nil : .microseconds(number % 50 + 1)) }
                    for _ in 0..<(number % 5) { await Task.yield() }
                    if number % 3 > 0 { drained.cancel() }
                    switch await drained.result {
                    case .success:
                        returned.increment()
                        #expect(before.value == 1)
                    case .failure(let error):
                        threw.increment()
                        #expect(error is CancellationError || error as? SerialQueueError == .timedOut)
                    }
                }
            }
        }
        await queue.drain()
        #expect(returned.value + threw.value == count)
        #expect(queue.depth == 0)
    }
}

/// The same for async closures: each closure holds a gate of Swift tasks.
@Suite struct OrderedDrainWithinTests {
    private actor Diary {
        nonisolated let queue = ActorQueue<Diary>()
        init() { queue.adoptExecutionContext(of: self) }
    }

    /// Enqueues, and drains.
    struct Queue: Sendable {
        let enqueue: @Sendable (@escaping @Sendable () async -> Void) -> Void
        let drain: @Sendable (Duration?) async throws -> Void

        init(kind: Int) {
            if kind < 2 {
                let queue = FIFOQueue(on: kind == 0 ? nil : SerialQueue(label: "fifo"))
                enqueue = { operation in queue.enqueue { await operation() } }
                drain = { try await queue.drain(within: $0) }
            } else if kind == 2 {
                let diary = Diary()
                enqueue = { operation in diary.queue.enqueue { _ in await operation() } }
                drain = { try await diary.queue.drain(within: $0) }
            } else {
                enqueue = { operation in MainActorQueue.shared.enqueue { await operation() } }
                drain = { try await MainActorQueue.shared.drain(within: $0) }
            }
        }
    }

    @Test(arguments: 0..<4) func a_drain_that_is_left_changes_nothing(kind: Int) async throws {
        let queue = Queue(kind: kind), gate = AsyncGate(), ran = Counter()
        try await queue.drain(nil)
        queue.enqueue {
            await gate.pass()
            ran.increment()
        }
        for limit in [Duration.milliseconds(1), .zero] {
            await #expect(throws: SerialQueueError.timedOut) { try await queue.drain(limit) }
        }
        for _ in 1...100 {
            let begins = Counter()
            let left = Task {
                begins.increment()
                try await queue.drain(nil)
            }
            await comesTrue { begins.value == 1 }
            left.cancel()
            await #expect(throws: CancellationError.self) { try await left.value }
        }
        let stays = Task { try await queue.drain(.seconds(hangSeconds)) }
        #expect(ran.value == 0)
        gate.open()
        try await queue.drain(nil)
        #expect(ran.value == 1)
        try await stays.value
    }

    /// What waits in the line begins after the waits for the line were left.
    @Test(arguments: 0..<2) func markers_that_were_left_are_passed(kind: Int) async throws {
        let queue = Queue(kind: kind), gate = AsyncGate(), ran = Counter()
        queue.enqueue { await gate.pass() }
        for number in 1...100 {
            await #expect(throws: SerialQueueError.timedOut) { try await queue.drain(.zero) }
            queue.enqueue { #expect(ran.increment() == number) }
        }
        gate.open()
        try await queue.drain(nil)
        #expect(ran.value == 100)
    }

    /// It may leave before the line has reached it, and after.
    @Test func a_wait_that_was_left_is_not_kept() {
        var tasks = RunningTasks()
        let running = QueuedTask(), (before, after, stays) = (WorkItem {}, WorkItem {}, WorkItem {})
        _ = tasks.begin(running, in: nil)
        before.cancel()
        tasks.leave(before)
        let isKept = tasks.wait(.item(before)), waits = tasks.wait(.item(after)) && tasks.wait(.item(stays))
        after.cancel()
        tasks.leave(after)
        let (left, isOver) = (tasks.waiters.count, stays.isCancelled)
        for waiter in tasks.end(running) { waiter.resume() }
        #expect(!isKept && waits && left == 1 && !isOver)
        #expect(stays.isCancelled)
    }
}
