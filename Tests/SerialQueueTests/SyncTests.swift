import CTestSupport
import SerialQueue
import Testing

@Suite struct SyncTests {
    final class NotSendable {
        var number: Int
        init(_ number: Int) { self.number = number }
    }

    struct Unique: ~Copyable {
        let number: Int
    }

    enum Refusal: Error {
        case full
        case closed
    }

    let queue = SerialQueue(label: "sync")

    @Test func a_result_may_be_of_any_type() {
        let object = NotSendable(1)
        #expect(queue.sync { object } === object)
        let unique = queue.sync { Unique(number: 2) }
        #expect(unique.number == 2)
        #expect(queue.sync { (3, "three", [3.0]) } == (3, "three", [3.0]))
        #expect(queue.sync { nil as Int? } == nil)
        #expect(queue.syncOrRun { object } === object)
        let another = queue.syncOrRun { Unique(number: 4) }
        #expect(another.number == 4)
    }

    @Test func the_closure_may_change_what_the_caller_owns() {
        var words = ["one"]
        let object = NotSendable(0)
        queue.sync {
            words.append("two")
            object.number = 2
        }
        queue.syncOrRun { words.append("three") }
        #expect(words == ["one", "two", "three"])
        #expect(object.number == 2)
    }

    @Test func an_error_keeps_its_type() {
        do throws(Refusal) {
            try queue.sync { () throws(Refusal) in throw .full }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == .full)
        }
        do throws(Refusal) {
            _ = try queue.syncOrRun { () throws(Refusal) -> Unique in throw .closed }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == .closed)
        }
    }

    @Test func an_error_of_any_type_gets_through_and_leaves_the_queue_free() {
        #expect(throws: CancellationError.self) { try queue.sync { throw CancellationError() } }
        #expect(throws: Refusal.full) { try queue.syncOrRun { throw Refusal.full as any Error } }
        #expect(queue.sync { 1 } == 1)
    }

    @Test func results_and_errors_are_released_with_their_last_use() {
        struct Carrier: Error { let captured: Captured }
        let releases = Counter()
        do {
            let captured = queue.sync { Captured(releases: releases) }
            #expect(releases.value == 0)
            captured.touch()
        }
        #expect(releases.value == 1)
        #expect(throws: Carrier.self) {
            try queue.sync { throw Carrier(captured: Captured(releases: releases)) }
        }
        #expect(releases.value == 2)
    }

    @Test func sync_from_many_threads_runs_one_at_a_time() {
        let total = Guarded(0)
        onThreads(6) { [queue] _ in
            for _ in 0..<2_000 {
                queue.sync { total.value += 1 }
                queue.syncOrRun { total.value += 1 }
            }
        }
        #expect(queue.sync { total.value } == 24_000)
    }

    /// The figure of the issue: 6 producers of 30,000 tasks each.
    @Test func a_long_mixture_of_sync_and_async_keeps_every_promise() {
        let queue = SerialQueue(label: "mixture")
        expectOrderFromManyProducers(on: queue, producers: 6, tasksEach: 30_000)
        let counts = queue.statistics
        #expect(counts.ran == 180_001)
        #expect(counts.submitted == counts.ran)
    }

    @Test func sync_or_run_waits_for_its_turn_from_outside() {
        let queue = SerialQueue(label: "outside")
        let ran = Guarded(0)
        let holdup = Holdup { queue.async($0) }
        for _ in 0..<100 {
            queue.async { ran.value += 1 }
        }
        let waiter = TestThread {
            #expect(queue.syncOrRun { ran.value } == 100)
        }
        holdup.finish()
        waiter.join()
    }

    @Test func sync_or_run_runs_inside_the_task_that_calls_it() {
        let seen = Guarded([String]())
        queue.async { [queue] in
            seen.value.append("begin")
            queue.syncOrRun {
                seen.value.append("inside")
                queue.syncOrRun { seen.value.append("deeper") }
            }
            seen.value.append("end")
        }
        #expect(queue.sync { seen.value } == ["begin", "inside", "deeper", "end"])
        #expect(queue.sync { queue.syncOrRun { 5 } } == 5)
    }

    @Test func sync_or_run_runs_inside_through_another_queue() {
        let other = SerialQueue(label: "between")
        let result = queue.sync { other.sync { queue.syncOrRun { "reached" } } }
        #expect(result == "reached")
    }

    @Test func a_deinit_may_use_sync_or_run_on_the_queue_and_off_it() {
        let seen = Guarded(0)
        let make: @Sendable () -> Captured = { [queue] in
            Captured { queue.syncOrRun { seen.value += 1 } }
        }
        queue.async { _ = make() }  // on the queue
        queue.sync { _ = make() }
        _ = make()  // off it
        #expect(queue.sync { seen.value } == 3)
    }

    /// Nothing is thrown here: Swift Testing itself allocates a backtrace at each throw.
    @Test(.enabled(if: SwiftABI.isUsed, "the portable form allocates")) func sync_allocates_nothing() {
        var total = 0
        let object = NotSendable(1)
        func rounds(_ count: Int) {
            for number in 0..<count {
                total += queue.sync { number + object.number }
                total += queue.syncOrRun { queue.syncOrRun { object.number } }
            }
        }
        rounds(10)
        allocation_probe_begin()
        rounds(10_000)
        #expect(allocation_probe_end() == 0)

        allocation_probe_begin()
        queue.async {}
        #expect(allocation_probe_end() >= 1, "the probe must see the box of an async")
    }

    /// A sync that has to wait takes a place in the ring and sleeps on its thread's token: both are there already.
    @Test(.enabled(if: SwiftABI.isUsed, "the portable form allocates")) func a_waiting_sync_allocates_nothing_in_the_steady_state() {
        let queue = SerialQueue(label: "waits")
        var allocations = [Int]()
        for _ in 0..<100 {
            let holdup = Holdup { queue.async($0) }
            let ender = TestThread {
                eventually { queue.depth == 1 }
                holdup.finish()
            }
            allocation_probe_begin()
            queue.sync {}
            allocations.append(allocation_probe_end())
            ender.join()
        }
        #expect(allocations.dropFirst(50).allSatisfy { $0 == 0 })
    }
}
