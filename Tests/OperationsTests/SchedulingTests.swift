import Glibc
import SerialQueue
import Testing

@testable import SerialQueueOperations

/// Which operation starts when, and how many at a time.
@Suite struct SchedulingTests {
    let pool = ManualPool()
    let order = Record<String>()

    private func queue(width: Int) -> WorkOperationQueue {
        WorkOperationQueue(label: "queue", width: width, on: pool)
    }

    @Test func three_priorities_each_in_order() {
        let queue = queue(width: 1), order = order
        queue.suspend()
        for number in 1...3 {
            queue.add(priority: .low) { order.append("low \(number)") }
            queue.add { order.append("normal \(number)") }
            queue.add(priority: .high) { order.append("high \(number)") }
        }
        queue.resume()
        pool.run()
        #expect(order.all == ["high", "normal", "low"].flatMap { band in (1...3).map { "\(band) \($0)" } })
    }

    /// An operation becomes ready at the end of its last predecessor, behind those that have been ready before.
    @Test func ready_operations_start_in_the_order_in_which_they_became_ready() {
        let queue = queue(width: 1), order = order
        let first = queue.add { order.append("first") }
        queue.add(after: first) { order.append("dependent") }
        queue.add { order.append("independent") }
        pool.run()
        #expect(order.all == ["first", "independent", "dependent"])
    }

    @Test func a_suspended_operation_keeps_its_slot() throws {
        let queue = queue(width: 2), order = order
        let gates = [WorkGroup(label: "gate"), WorkGroup(label: "gate")]
        for (number, gate) in gates.enumerated() {
            gate.enter()
            queue.add("suspended") { () async throws in
                order.append("begin \(number)")
                try await gate.wait()
                order.append("end \(number)")
            }
        }
        queue.add("third") { order.append("third") }
        pool.run()
        #expect(order.all == ["begin 0", "begin 1"])
        gates[1].leave()
        pool.run()
        #expect(order.all == ["begin 0", "begin 1", "end 1", "third"])
        gates[0].leave()
        pool.run()
        #expect(order.all.last == "end 0")
    }

    @Test(arguments: [1, 2, 5]) func never_more_than_width_at_a_time(width: Int) async {
        let queue = WorkOperationQueue(label: "queue", width: width, on: WorkerPool(threads: 8))
        let overlap = Overlap()
        for number in 1...2_000 {
            if number.isMultiple(of: 3) {
                queue.add { () async in
                    overlap.visit()
                    await Task.yield()
                    overlap.visit()
                }
            } else {
                queue.add { overlap.visit() }
            }
        }
        await queue.drain()
        #expect(overlap.most <= width)
        #expect(queue.progress == WorkProgress(finished: 2_000, total: 2_000))
    }

    /// Two operations that wait for each other's start: no queue of width 1 could run them.
    @Test func width_two_is_truly_concurrent() async throws {
        let queue = WorkOperationQueue(label: "queue", width: 2, on: WorkerPool(threads: 2))
        let gates = [Gate(), Gate()]
        for number in 0...1 {
            queue.add {
                gates[number].open()
                gates[1 - number].pass()
            }
        }
        await queue.drain()
    }

    @Test func a_suspended_queue_starts_nothing_until_it_is_resumed_as_often() {
        let queue = queue(width: 4), order = order
        queue.suspend()
        queue.suspend()
        for number in 1...3 { queue.add { order.append("\(number)") } }
        #expect(pool.run() == 0 && queue.resume())
        pool.run()
        #expect(order.all == [])
        queue.add { order.append("4") }
        #expect(queue.resume() && !queue.resume())
        pool.run()
        #expect(order.all.sorted() == ["1", "2", "3", "4"])
    }

    @Test func suspending_lets_what_runs_continue() {
        let queue = queue(width: 1), order = order
        queue.add("first") {
            queue.suspend()
            order.append("first")
        }
        queue.add("second") { order.append("second") }
        pool.run()
        #expect(order.all == ["first"])
        queue.resume()
        pool.run()
        #expect(order.all == ["first", "second"])
    }

    @Test(arguments: [false, true]) func a_dropped_queue_runs_what_it_has(isSuspended: Bool) {
        let order = order, released = Counter()
        do {
            let queue = queue(width: 2), captured = Captured(releases: released)
            let first = queue.add("first") { order.append("first") }
            queue.add("second", after: first) {
                captured.touch()
                order.append("second")
            }
            if isSuspended { queue.suspend() }
        }
        pool.run()
        #expect(order.all == ["first", "second"])
        pool.run()
        #expect(released.value == 1)
    }

    @Test func a_queue_that_is_done_is_freed() {
        weak var core: QueueCore?
        do {
            let queue = queue(width: 2)
            core = queue.core
            queue.add { 1 }
            pool.run()
            #expect(core != nil)
        }
        pool.run()
        #expect(core == nil)
    }

    /// Long operations do not keep the pool's only thread from other queues until a batch is over.
    @Test func a_lane_with_long_operations_lets_other_queues_run() async {
        let pool = WorkerPool(threads: 1), order = order
        let queue = WorkOperationQueue(label: "queue", width: 1, on: pool), other = SerialQueue(label: "other", on: pool)
        for number in 1...32 {
            queue.add {
                if number == 1 { other.async { order.append("other") } }
                let began = tick()
                while tick() == began {}
                order.append("operation")
            }
        }
        await queue.drain()
        other.sync {}
        #expect(order.all.last == "operation")
    }

    @Test func a_drain_waits_for_all_that_was_added() async {
        let queue = WorkOperationQueue(label: "queue", width: 2)
        let ran = Counter()
        await queue.drain()
        for _ in 1...1_000 { queue.add { ran.increment() } }
        await queue.drain()
        #expect(ran.value == 1_000)
    }

    @Test func a_drain_that_is_left_changes_nothing() async throws {
        let queue = WorkOperationQueue(label: "queue", width: 2), ran = Counter()
        try await queue.drain(within: nil)
        queue.suspend()
        for _ in 1...10 { queue.add { ran.increment() } }
        for limit in [Duration.milliseconds(1), .zero] {
            await #expect(throws: SerialQueueError.timedOut) { try await queue.drain(within: limit) }
        }
        for _ in 1...100 {
            let left = Task { try await queue.drain(within: .seconds(3_600)) }
            await isDrained(queue)
            left.cancel()
            await #expect(throws: CancellationError.self) { try await left.value }
            OperationGraph.look { #expect(queue.core.drains.isEmpty) }
        }
        let stays = Task { try await queue.drain(within: .seconds(3_600)) }
        await isDrained(queue)
        #expect(ran.value == 0)
        queue.resume()
        try await stays.value
        #expect(ran.value == 10)
        queue.add { ran.increment() }
        try await queue.drain(within: nil)
        #expect(ran.value == 11)
    }

    /// Returns when a drain of the queue has begun.
    private func isDrained(_ queue: WorkOperationQueue) async {
        while OperationGraph.look({ queue.core.drains.isEmpty }) { await Task.yield() }
    }

    @Test func a_cancelled_caller_does_not_drain() async {
        let queue = WorkOperationQueue(label: "queue")
        let drained = Task {
            while !Task.isCancelled { await Task.yield() }
            try await queue.drain(within: nil)
        }
        drained.cancel()
        await #expect(throws: CancellationError.self) { try await drained.value }
    }

    @Test func progress_arrives_and_ends_with_the_queue() async {
        var queue: WorkOperationQueue? = WorkOperationQueue(label: "queue", width: 1)
        let updates = queue!.progressUpdates
        for _ in 1...100 { queue!.add {} }
        var seen: [WorkProgress] = []
        for await progress in updates {
            seen.append(progress)
            queue = nil
        }
        #expect(seen.last == WorkProgress(finished: 100, total: 100))
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.finished <= $1.finished && $0 != $1 })
    }
}

private func tick() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return time.tv_nsec
}
