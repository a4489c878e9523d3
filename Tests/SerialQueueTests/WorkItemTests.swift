import SerialQueue
import Testing

/// On a manual pool, so that nothing happens between two lines, except where threads are to race.
@Suite struct WorkItemTests {
    let pool = ManualPool(), queue: SerialQueue
    let releases = Counter(), ran = Counter()

    init() {
        queue = SerialQueue(label: "items", on: pool)
    }

    private func item() -> WorkItem {
        let captured = Captured(releases: releases)
        return WorkItem(label: "item") { [ran] in
            captured.touch()
            ran.increment()
        }
    }

    @Test func it_runs_once_in_its_turn_and_is_released_after_it() throws {
        let item = item(), seen = Log<Int>()
        queue.async { seen.append(1) }
        #expect(queue.async(item))
        queue.async { [releases] in
            seen.append(2)
            #expect(releases.value == 1)
        }
        #expect(ran.value == 0)
        pool.run()
        #expect(seen.entries == [1, 2])
        #expect(ran.value == 1 && releases.value == 1)
        try item.wait(within: .zero)
        #expect(!item.cancel())
    }

    @Test func one_that_is_submitted_twice_is_refused() {
        let item = item()
        #expect(queue.async(item))
        #expect(!queue.async(item))
        #expect(!queue.asyncAfter(.seconds(1), item))
        pool.advance(by: .seconds(2))
        #expect(ran.value == 1)
    }

    @Test func one_that_was_refused_can_be_submitted_again() throws {
        let closed = SerialQueue(label: "closed"), item = item()
        try closed.shutdown()
        #expect(!closed.async(item))
        #expect(releases.value == 0)
        #expect(queue.async(item))
        pool.run()
        #expect(ran.value == 1 && releases.value == 1)
    }

    @Test func a_delayed_item_runs_at_its_time_and_can_be_cancelled_before() {
        let (item, cancelled) = (item(), item())
        queue.asyncAfter(.seconds(1), item)
        queue.asyncAfter(.seconds(1), cancelled)
        #expect(queue.depth == 0)
        #expect(cancelled.cancel())
        #expect(releases.value == 1)
        pool.advance(by: .milliseconds(999))
        #expect(ran.value == 0)
        pool.advance(by: .milliseconds(1))
        #expect(ran.value == 1)
    }

    // Cancelling

    @Test func a_cancelled_item_never_runs_and_its_captures_are_gone_before_cancel_returns() throws {
        let item = item()
        queue.async(item)
        #expect(queue.depth == 1)
        #expect(item.cancel())
        #expect(releases.value == 1)
        #expect(item.isCancelled)
        #expect(queue.depth == 0 && queue.statistics.withdrawn == 1)
        #expect(!item.cancel())
        #expect(throws: SerialQueueError.cancelled) { try item.wait() }
        pool.run()
        #expect(ran.value == 0 && releases.value == 1)
    }

    @Test func one_that_was_cancelled_before_cannot_be_submitted() {
        let item = item()
        #expect(item.cancel())
        #expect(releases.value == 1)
        #expect(!queue.async(item))
        #expect(!queue.asyncAfter(.seconds(1), item))
    }

    @Test func one_that_runs_can_ask_whether_it_was_cancelled() throws {
        let entered = Gate(), seen = Guarded(false), queue = SerialQueue(label: "threads")
        let item = WorkItem(label: "asks") { item in
            #expect(item.label == "asks")
            entered.open()
            while !item.isCancelled {}
            seen.value = true
        }
        queue.async(item)
        entered.pass()
        #expect(!item.isCancelled)
        #expect(!item.cancel())
        try item.wait(within: .seconds(hangSeconds))
        #expect(seen.value)
    }

    @Test func the_handle_that_the_closure_gets_is_the_same_item() {
        let got = Guarded<WorkItem?>(nil), item = WorkItem { got.value = $0 }
        queue.async(item)
        pool.run()
        #expect(got.value == item)
        #expect(Set([got.value, item]).count == 1)
    }

    /// Released by `cancel`, on the cancelling thread.
    @Test func a_captured_object_may_use_the_item_and_the_queue_when_it_is_released() {
        let queue = queue, late = Counter()
        let item = Guarded<WorkItem?>(nil), seen = Log<Bool>()
        do {
            let captured = Captured {
                seen.append(!queue.isCurrent)
                seen.append(item.value!.isCancelled && !item.value!.cancel())
                queue.async { late.increment() }
            }
            item.value = WorkItem { captured.touch() }
        }
        queue.async(item.value!)
        #expect(item.value!.cancel())
        pool.run()
        #expect(seen.entries == [true, true])
        #expect(late.value == 1)
    }

    @Test func the_last_handle_of_one_that_was_never_submitted_releases_it() {
        _ = item()
        #expect(releases.value == 1 && ran.value == 0)
    }

    @Test func a_submitted_one_runs_although_its_last_handle_has_gone() {
        queue.async(item())
        queue.asyncAfter(.seconds(1), item())
        #expect(releases.value == 0)
        pool.advance(by: .seconds(1))
        #expect(ran.value == 2 && releases.value == 2)
    }

    @Test func a_discarded_one_is_released_and_cancelled_for_those_who_wait() async throws {
        let item = item(), notified = Counter(), other = SerialQueue(label: "other", on: pool)
        queue.async(item)
        item.notify(on: other) { notified.increment() }
        let task = Task.immediate { try await item.outcome }
        queue.suspend()
        _ = try? closeNow(queue, .discard)
        pool.run()
        #expect(try await task.value == .cancelled)
        #expect(!item.isCancelled)
        #expect(releases.value == 1 && ran.value == 0 && notified.value == 1)
    }

    // Waiting

    @Test func an_outcome_is_awaited_before_and_after_it_has_come() async throws {
        let (item, cancelled) = (item(), item()), pool = pool, queue = queue
        let before = Task.immediate { try await item.outcome }
        let beforeCancelled = Task.immediate { try await cancelled.outcome }
        queue.async(item)
        queue.async(cancelled)
        cancelled.cancel()
        pool.run()
        #expect(try await before.value == .ran)
        #expect(try await beforeCancelled.value == .cancelled)
        #expect(try await item.outcome == .ran)
        #expect(try await cancelled.outcome == .cancelled)
    }

    @Test func a_cancelled_task_throws_at_once_and_the_item_runs() async throws {
        let item = item()
        queue.async(item)
        let task = Task.immediate { try await item.outcome }
        let other = Task.immediate(priority: .high) { (try await item.outcome, Task.currentPriority) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!item.isCancelled)
        pool.run()
        #expect(try await other.value == (.ran, .high))
        let late = Task.immediate {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await item.outcome
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test func a_wait_for_itself_is_a_deadlock_that_is_named() throws {
        let report = Guarded("")
        let item = WorkItem(label: "com.example.itself") { item in
            do throws(SerialQueueError) {
                try item.wait()
            } catch {
                if case .deadlock(let text) = error { report.value = text }
            }
        }
        queue.async(item)
        pool.run()
        #expect(report.value.contains("\"com.example.itself\""))
    }

    @Test func a_wait_runs_what_a_manual_pool_has_ready() throws {
        let item = item()
        queue.async(item)
        try item.wait()
        #expect(ran.value == 1)
    }

    @Test func notifications_come_once_each_in_their_order() throws {
        let item = item(), seen = Log<Int>()
        for number in 1...3 {
            item.notify(on: queue) { [releases] in
                #expect(releases.value == 1)
                seen.append(number)
            }
        }
        pool.run()
        #expect(seen.entries == [])
        queue.async(item)
        pool.run()
        item.notify(on: queue) { seen.append(4) }
        pool.run()
        #expect(seen.entries == [1, 2, 3, 4])
        let closed = SerialQueue(label: "closed")
        try closed.shutdown()
        #expect(!item.notify(on: closed) {})
    }

    @Test func it_has_its_label_and_describes_itself() {
        #expect(item().label == "item")
        #expect("\(item())" == "WorkItem \"item\"")
        #expect(WorkItem {}.label == "")
    }

    /// Each has one outcome, its captures are released once, and what waits for it sees that.
    @Test func cancel_start_and_shutdown_race_and_each_item_has_one_outcome() async throws {
        let ran = ran, releases = releases, count = rounds
        let outcomes = Log<(outcome: WorkItem.Outcome, wasCancelled: Bool)>()
        for round in 0..<10 {
            let queue = SerialQueue(label: "race", on: .shared)
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<count / 10 {
                    let captured = Captured(releases: releases)
                    let item = WorkItem {
                        captured.touch()
                        ran.increment()
                    }
                    group.addTask {
                        let awaiter = Task { try await item.outcome }
                        let canceller = Task { number % 3 == 0 ? item.cancel() : false }
                        let isAccepted = number % 2 == 0 ? queue.async(item) : queue.asyncAfter(.microseconds(number), item)
                        if !isAccepted { item.cancel() }
                        let wasCancelled = await canceller.value
                        if let outcome = try? await awaiter.value { outcomes.append((outcome, wasCancelled)) }
                    }
                }
                group.addTask {
                    for _ in 0..<round * 20 { await Task.yield() }
                    try? await queue.shutdown(round % 2 == 0 ? .discard : .drain)
                }
            }
        }
        await comesTrue { releases.value == count / 10 * 10 }
        #expect(outcomes.entries.count == count / 10 * 10)
        #expect(outcomes.entries.count { $0.outcome == .ran } == ran.value)
        #expect(!outcomes.entries.contains { $0.outcome == .ran && $0.wasCancelled })
    }
}
