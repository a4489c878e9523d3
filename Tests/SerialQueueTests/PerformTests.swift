import Glibc
import SerialQueue
import Testing

/// Work items that run on the calling thread.
@Suite struct PerformTests {
    let pool = ManualPool(), queue: SerialQueue
    let releases = Counter(), ran = Counter()

    init() {
        queue = SerialQueue(label: "performers", on: pool)
    }

    private func item(repeats: Bool = false) -> WorkItem {
        let captured = Captured(releases: releases)
        return WorkItem(label: "performed", repeats: repeats) { [ran] in
            captured.touch()
            ran.increment()
        }
    }

    @Test func it_runs_at_once_on_the_calling_thread_and_in_no_queue() throws {
        let thread = Guarded(pthread_t()), queues = Record<Bool>()
        let item = WorkItem {
            thread.value = pthread_self()
            queues.append(SerialQueue.current != nil)
        }
        #expect(item.perform())
        #expect(thread.value == pthread_self())
        #expect(queues.all == [false])
        try item.wait(within: .zero)
    }

    @Test func its_closure_is_released_before_the_outcome() async throws {
        let item = item(), notified = Record<Int>()
        item.notify(on: queue) { [releases] in notified.append(releases.value) }
        let task = Task.immediate { try await item.outcome }
        #expect(item.perform())
        #expect(ran.value == 1 && releases.value == 1)
        #expect(try await task.value == .ran)
        pool.run()
        #expect(notified.all == [1])
    }

    @Test func one_that_was_submitted_performed_or_cancelled_before_does_not_run() {
        let (performed, submitted, cancelled) = (item(), item(), item())
        #expect(performed.perform())
        #expect(!performed.perform())
        #expect(!queue.async(performed))
        queue.async(submitted)
        #expect(!submitted.perform())
        cancelled.cancel()
        #expect(!cancelled.perform())
        #expect(ran.value == 1)
        pool.run()
        #expect(ran.value == 2 && releases.value == 3)
    }

    @Test func one_that_repeats_is_performed_again_and_between_submissions() {
        let item = item(repeats: true)
        #expect(item.perform())
        #expect(queue.async(item))
        #expect(item.perform())
        #expect(ran.value == 2)
        pool.run()
        #expect(ran.value == 3 && releases.value == 0)
    }

    @Test func a_wait_for_it_inside_its_closure_is_a_deadlock_that_is_named() {
        let report = Guarded("")
        let item = WorkItem(label: "com.example.performed") { item in
            do throws(SerialQueueError) {
                try item.wait()
            } catch {
                if case .deadlock(let text) = error { report.value = text }
            }
        }
        #expect(item.perform())
        #expect(report.value.contains("\"com.example.performed\""))
    }

    @Test func threads_that_wait_see_what_it_wrote() throws {
        let seen = Guarded(0), item = WorkItem { seen.value = 4711 }
        let waiter = TestThread {
            try? item.wait()
            #expect(seen.value == 4711)
        }
        item.perform()
        waiter.join()
    }
}
