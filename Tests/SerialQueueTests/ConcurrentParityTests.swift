// ConcurrentParityTests.swift: what holds for every concurrent queue with barriers. Each test runs on DispatchQueue, then on
// ours: where the two agree, a program may change from one to the other.

import Glibc
import Testing

@Suite struct ConcurrentParityTests {
    @Test(arguments: Contender.allCases)
    func async_closures_run_at_the_same_time(_ contender: Contender) {
        let queue = contender.concurrentQueue()
        meet { queue.submit($0) }
    }

    @Test(arguments: Contender.allCases)
    func sync_closures_of_several_threads_run_at_the_same_time(_ contender: Contender) {
        let queue = contender.concurrentQueue()
        var threads = [TestThread]()
        meet { body in threads.append(TestThread { queue.perform(body) }) }
        threads.forEach { $0.join() }
    }

    /// Each of two closures ends after the other one has begun.
    private func meet(_ start: (@escaping @Sendable () -> Void) -> Void) {
        let gates = [Gate(), Gate()], ends = [Gate(), Gate()]
        for number in 0..<2 {
            start {
                gates[number].open()
                gates[1 - number].pass()
                ends[number].open()
            }
        }
        ends.forEach { $0.pass() }
    }

    @Test(arguments: Contender.allCases)
    func a_barrier_waits_for_those_before_it_and_those_after_it_for_the_barrier(_ contender: Contender) {
        let queue = contender.concurrentQueue()
        let log = Guarded([String]()), done = Gate()
        let first = Holdup(queue.submit), second = Holdup(queue.submit)
        queue.submitBarrier { log.value.append("barrier") }
        queue.submit {
            log.value.append("after")
            done.open()
        }
        first.finish()
        let waiter = TestThread { queue.performBarrier { log.value.append("second barrier") } }
        #expect(log.value.isEmpty, "a closure before the barrier still runs")
        second.finish()
        done.pass()
        waiter.join()
        let seen = queue.perform { log.value }
        #expect(seen.first == "barrier")
        #expect(Set(seen) == ["barrier", "after", "second barrier"])
    }

    @Test(arguments: Contender.allCases)
    func barriers_run_in_order_one_at_a_time(_ contender: Contender) {
        let queue = contender.concurrentQueue()
        let seen = Guarded([Int]())
        for number in 0..<1_000 {
            queue.submitBarrier { seen.value.append(number) }
            if number % 7 == 0 { queue.submit { withExtendedLifetime(seen.value.count) {} } }
        }
        #expect(queue.perform { seen.value } == Array(0..<1_000))
    }

    /// The queue is all that orders these accesses: run it under ThreadSanitizer.
    @Test(arguments: Contender.allCases)
    func readers_never_see_an_unfinished_barrier(_ contender: Contender) {
        let queue = contender.concurrentQueue()
        let pair = Guarded((0, 0)), torn = Counter()
        onThreads(4) { thread in
            for number in 0..<500 {
                let read: @Sendable () -> Void = { if pair.value.0 != pair.value.1 { torn.increment() } }
                let write: @Sendable () -> Void = {
                    pair.value.0 += 1
                    pair.value.1 += 1
                }
                switch (number + thread) % 4 {
                case 0: queue.perform(read)
                case 1: queue.submit(read)
                case 2: queue.performBarrier(write)
                default: queue.submitBarrier(write)
                }
            }
        }
        #expect(queue.performBarrier { pair.value } == (1_000, 1_000))
        #expect(torn.value == 0)
    }

    @Test(arguments: Contender.allCases)
    func sync_runs_on_the_calling_thread_and_async_does_not(_ contender: Contender) {
        let queue = contender.concurrentQueue()
        let caller = pthread_self()
        #expect(queue.perform { pthread_self() } == caller)
        #expect(queue.performBarrier { pthread_self() } == caller)
        for isBarrier in [false, true] {
            let worker = Guarded(caller), done = Gate()
            let body: @Sendable () -> Void = {
                worker.value = pthread_self()
                done.open()
            }
            isBarrier ? queue.submitBarrier(body) : queue.submit(body)
            done.pass()
            #expect(worker.value != caller)
        }
    }

    @Test(arguments: Contender.allCases)
    func both_kinds_of_sync_return_results_and_throw_errors(_ contender: Contender) {
        struct Refusal: Error, Equatable { let reason: Int }
        let queue = contender.concurrentQueue()
        #expect(queue.perform { "result" } == "result")
        #expect(queue.performBarrier { "result" } == "result")
        #expect(throws: Refusal(reason: 7)) { try queue.perform { throw Refusal(reason: 7) } }
        #expect(throws: Refusal(reason: 8)) { try queue.performBarrier { throw Refusal(reason: 8) } }
        #expect(queue.performBarrier { 1 } == 1, "a throw must leave the queue free")
    }

    @Test(arguments: Contender.allCases)
    func a_reader_may_submit_a_barrier_and_read_again(_ contender: Contender) {
        let queue = contender.concurrentQueue()
        let seen = Guarded([String]()), done = Gate()
        queue.perform {
            let inner = queue.perform { "read" }
            queue.submitBarrier {
                seen.value.append("barrier")
                done.open()
            }
            #expect(inner == "read")
            #expect(seen.value.isEmpty, "the barrier waits for this closure")
        }
        done.pass()
        #expect(queue.perform { seen.value } == ["barrier"])
    }

    @Test(arguments: Contender.allCases)
    func captures_of_a_barrier_are_released_before_the_next_closure(_ contender: Contender) {
        let queue = contender.concurrentQueue()
        let releases = Counter(), seenByNext = Guarded(0)
        let holdup = Holdup(queue.submit)
        do {
            let captured = Captured(releases: releases)
            queue.submitBarrier { captured.touch() }
        }
        queue.submitBarrier { seenByNext.value = releases.value }
        #expect(releases.value == 0, "released before it ran")
        holdup.finish()
        #expect(queue.perform { seenByNext.value } == 1)
    }

    @Test(arguments: Contender.allCases)
    func the_last_reference_may_go_while_closures_wait(_ contender: Contender) {
        let ran = Counter(), done = Gate()
        var queue: (any AnyConcurrentQueue)? = contender.concurrentQueue()
        let holdup = Holdup(queue!.submitBarrier)
        for number in 0..<100 {
            let body: @Sendable () -> Void = { if ran.increment() == 100 { done.open() } }
            number % 3 == 0 ? queue!.submitBarrier(body) : queue!.submit(body)
        }
        queue = nil
        #expect(ran.value == 0)
        holdup.finish()
        done.pass()
    }

    @Test(arguments: Contender.allCases)
    func the_label_is_kept(_ contender: Contender) {
        #expect(contender.concurrentQueue("com.example.größe").label == "com.example.größe")
    }
}
