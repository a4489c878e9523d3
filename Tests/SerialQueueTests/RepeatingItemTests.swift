import SerialQueue
import Testing

/// On a manual pool, so that nothing happens between two lines, except where threads are to race.
@Suite struct RepeatingItemTests {
    let pool = ManualPool(), queue: SerialQueue
    let releases = Counter(), ran = Counter()

    init() {
        queue = SerialQueue(label: "items", on: pool)
    }

    private func item() -> WorkItem {
        let captured = Captured(releases: releases)
        return WorkItem(label: "repeats", repeats: true) { [ran] in
            captured.touch()
            ran.increment()
        }
    }

    @Test func it_runs_for_each_submission_and_is_released_with_its_last_handle() {
        do {
            let item = item()
            #expect(queue.async(item))
            #expect(queue.async(item))
            pool.run()
            #expect(ran.value == 2)
            #expect(queue.asyncAfter(.seconds(1), item))
            pool.advance(by: .seconds(1))
            #expect(ran.value == 3)
            #expect(queue.async(item))
            #expect(releases.value == 0)
        }
        #expect(releases.value == 0)  // a submission is left
        pool.run()
        #expect(ran.value == 4 && releases.value == 1)
    }

    @Test func one_that_was_never_submitted_is_released_with_its_last_handle() {
        _ = item()
        #expect(ran.value == 0 && releases.value == 1)
    }

    @Test func its_closure_may_submit_it_again() {
        let queue = queue, rounds = Counter()
        let item = WorkItem(repeats: true) { item in
            if rounds.increment() < 5 { #expect(queue.async(item)) }
        }
        queue.async(item)
        pool.run()
        #expect(rounds.value == 5)
    }

    @Test func cancel_withdraws_all_and_keeps_the_closure_until_the_last_handle_is_released() throws {
        do {
            let item = item()
            queue.async(item)
            queue.async(item)
            #expect(item.cancel())
            #expect(item.isCancelled && releases.value == 0)
            #expect(!queue.async(item))
            #expect(!item.perform())
            #expect(throws: SerialQueueError.cancelled) { try item.wait() }
            pool.run()
        }
        #expect(ran.value == 0 && releases.value == 1)
    }

    @Test func a_wait_is_for_the_submission_that_was_made_last() throws {
        let item = item()
        #expect(throws: SerialQueueError.timedOut) { try item.wait(within: .zero) }
        queue.async(item)
        queue.async(item)
        try item.wait()  // runs the pool
        #expect(ran.value == 2)
        try item.wait(within: .zero)
        queue.asyncAfter(.seconds(1), item)
        #expect(throws: SerialQueueError.timedOut) { try item.wait(within: .zero) }
        pool.advance(by: .seconds(1))
        try item.wait(within: .zero)
    }

    @Test func an_outcome_is_awaited_of_the_submission_that_was_made_last() async throws {
        let item = item(), pool = pool
        let first = Task.immediate { try await item.outcome }
        queue.async(item)
        pool.run()
        #expect(try await first.value == .ran)
        #expect(try await item.outcome == .ran)
        queue.async(item)
        let second = Task.immediate { try await item.outcome }
        queue.async(item)
        let third = Task.immediate { try await item.outcome }
        item.cancel()
        #expect(try await third.value == .cancelled)
        pool.run()
        #expect(try await second.value == .cancelled)
        #expect(ran.value == 1)
    }

    @Test func a_cancelled_caller_does_not_wait_for_the_outcome() async throws {
        let item = item()
        let task = Task.immediate { try await item.outcome }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        queue.async(item)
        pool.run()
        #expect(ran.value == 1)
    }

    @Test func notifications_and_groups_count_each_submission() throws {
        let item = item(), notified = Counter(), group = WorkGroup()
        item.notify(on: queue) { notified.increment() }
        queue.async(in: group, item)
        queue.async(in: group, item)
        try group.wait(within: .seconds(hangSeconds))  // runs the pool
        #expect(ran.value == 2)
        pool.run()
        #expect(notified.value == 1)
        item.notify(on: queue) { notified.increment() }
        pool.run()
        #expect(notified.value == 2)
    }

    /// Threads submit, perform and cancel one item. Each accepted call has run, or the cancel came before it.
    @Test func many_threads_may_submit_and_perform_it() throws {
        let queue = SerialQueue(label: "threads"), accepted = Counter()
        for _ in 0..<(isUnderSanitizer ? 20 : 200) {
            let item = item()
            let threads = (0..<4).map { number in
                TestThread {
                    for _ in 0..<10 where number < 2 ? queue.async(item) : item.perform() { accepted.increment() }
                }
            }
            threads.forEach { $0.join() }
        }
        queue.sync {}
        #expect(accepted.value == ran.value)
        #expect(releases.value == (isUnderSanitizer ? 20 : 200))
    }
}
