import CTestSupport
import Glibc
import SerialQueue
import Testing

/// `asyncAndWait` and `runAndWait`: the same, but for the thread. SyncWithinTests has what they share with `sync(within:)`.
@Suite struct AsyncAndWaitTests {
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
}
