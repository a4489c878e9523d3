import CTestSupport
import Glibc
import SerialQueue
import Testing

/// `asyncAndWait` and `runAndWait`: the same, except for the thread. SyncWithinTests has what they share with `sync(within:)`.
@Suite struct AsyncAndWaitTests {
    let queue = SerialQueue(label: "called")

    @Test func on_a_free_queue_asyncAndWait_runs_on_the_caller() throws {
        let caller = pthread_self()
        let queue = SerialQueue(label: "free")
        #expect(try queue.asyncAndWait { pthread_self() } == caller)
        #expect(try queue.runAndWait { pthread_self() } != caller)
        #expect(queue.statistics.ran == 2)
    }

    @Test func it_runs_in_order_after_every_earlier_async() throws {
        let queue = SerialQueue(label: "order")
        let count = Counter()
        for expected in 0..<1_000 {
            queue.async { count.increment() }
            #expect(try queue.asyncAndWait { count.value } == expected + 1)
        }
    }

    @Test func from_its_own_task_it_throws_deadlock() throws {
        let queue = SerialQueue(label: "own")
        try queue.asyncAndWait {
            let error = #expect(throws: SerialQueueError.self) { try queue.asyncAndWait {} }
            if case .deadlock = error { return }
            Issue.record("not a deadlock: \(String(describing: error))")
        }
    }

    @Test func what_its_closure_throws_comes_through() {
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try SerialQueue(label: "throws").asyncAndWait { throw Refusal() } }
    }

    // MARK: runAndWait

    @Test func run_and_wait_runs_on_the_queues_own_thread_in_its_turn() throws {
        let worker = Guarded(pthread_self())
        queue.async { worker.value = pthread_self() }
        let (order, thread, current) = try queue.runAndWait { (worker.value, pthread_self(), SerialQueue.current) }
        #expect(thread != pthread_self())
        #expect(thread == order, "the earlier async ran first, on the same thread")
        #expect(current == queue)
    }

    @Test func run_and_wait_starts_the_thread() throws {
        let caller = pthread_self()
        #expect(try SerialQueue().runAndWait { pthread_self() } != caller)
        #expect(try SerialQueue(capacity: 1).runAndWait(within: .seconds(60)) { pthread_self() } != caller)
    }

    /// The closure outlasts the limit of a caller that had to wait. When the machine is so busy that it did not even begin
    /// within it, the next limit is longer.
    @Test func once_it_runs_run_and_wait_waits_for_its_end() throws {
        let result = Guarded<String?>(nil)
        for exponent in 0..<10 where result.value == nil {
            let holdup = Holdup { queue.async($0) }
            let waiter = TestThread { [queue] in
                let clock = ContinuousClock()
                let limit = Duration.milliseconds(50 << exponent)
                let deadline = clock.now + limit
                result.value = try? queue.runAndWait(within: limit) {
                    while clock.now < deadline + .milliseconds(20) { usleep(1_000) }
                    return "ended"
                }
            }
            eventually { queue.depth == 1 || queue.statistics.withdrawn == exponent + 1 }
            holdup.finish()
            waiter.join()
            #expect(result.value != nil || queue.statistics.withdrawn == exponent + 1)
        }
        #expect(result.value == "ended")
    }

    @Test func run_and_wait_from_many_threads_runs_one_at_a_time() {
        let total = Guarded(0)
        onThreads(4) { [queue] _ in
            for _ in 0..<500 {
                #expect(throws: Never.self) { try queue.runAndWait { total.value += 1 } }
                #expect(throws: Never.self) { try queue.sync(within: .seconds(60)) { total.value += 1 } }
            }
        }
        #expect(queue.sync { total.value } == 4_000)
    }
}
