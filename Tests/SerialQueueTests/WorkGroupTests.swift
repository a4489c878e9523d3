import CTestSupport
import SerialQueue
import Testing

@Suite struct WorkGroupTests {
    let group = WorkGroup(label: "group")
    let releases = Counter(), ran = Counter()

    private func body() -> @Sendable () -> Void {
        let captured = Captured(releases: releases)
        return { [ran] in
            captured.touch()
            ran.increment()
        }
    }

    @Test func a_group_without_members_is_not_waited_for() async throws {
        waitHere(group)
        try group.wait(within: .zero)
        try await group.wait()
    }

    @Test func one_leave_too_many_is_false_and_changes_nothing() throws {
        #expect(!group.leave())
        group.enter()
        group.enter()
        #expect(group.leave())
        #expect(throws: SerialQueueError.timedOut) { try group.wait(within: .zero) }
        #expect(group.leave())
        #expect(!group.leave())
        try group.wait(within: .zero)
    }

    @Test func it_has_its_label_and_describes_itself() {
        #expect(group.label == "group")
        #expect(WorkGroup().label == "")
        #expect("\(group)" == "WorkGroup \"group\"")
    }

    @Test func a_wait_sees_what_closures_on_many_queues_wrote() async throws {
        let queues = (0..<4).map { SerialQueue(label: "\($0)", on: .shared) }
        let written = queues.map { _ in Guarded(0) }
        for _ in 0..<100 {
            for (queue, cell) in zip(queues, written) { #expect(queue.async(in: group) { cell.value += 1 }) }
        }
        try await group.wait()
        #expect(written.map(\.value) == [100, 100, 100, 100])
    }

    /// On a manual pool, so that nothing happens between two lines.
    @Test func a_closure_is_a_member_until_its_captures_are_gone() throws {
        let pool = ManualPool(), queue = SerialQueue(label: "captures", on: pool)
        queue.async(in: group, body())
        #expect(throws: SerialQueueError.timedOut) { try group.wait(within: .zero) }
        queue.async { [releases] in #expect(releases.value == 1) }
        group.notify(on: queue) { [releases] in #expect(releases.value == 1) }
        pool.run()
        #expect(ran.value == 1 && releases.value == 1)
        try group.wait(within: .zero)
    }

    @Test func a_discarded_closure_is_released_once_and_leaves() async throws {
        let queue = SerialQueue(label: "discards")
        queue.suspend()
        for _ in 0..<10 { queue.async(in: group, body()) }
        group.notify(on: queue, body())
        #expect(releases.value == 0)
        try await queue.shutdown(.discard)
        try await group.wait()
        await comesTrue { releases.value == 11 }
        #expect(ran.value == 0)
    }

    @Test func a_refused_closure_is_released_and_the_group_has_not_changed() throws {
        let queue = SerialQueue(label: "refuses")
        try queue.shutdown()
        #expect(!queue.async(in: group, body()))
        #expect(!group.notify(on: queue, body()))
        #expect(releases.value == 2 && ran.value == 0)
        try group.wait(within: .zero)
    }

    @Test func an_item_is_a_member_until_its_outcome() throws {
        let pool = ManualPool(), queue = SerialQueue(label: "items", on: pool)
        let items = (0..<3).map { _ in WorkItem(body()) }
        for item in items { #expect(queue.async(in: group, item)) }
        #expect(!queue.async(in: group, items[0]))
        items[1].cancel()
        #expect(throws: SerialQueueError.timedOut) { try group.wait(within: .zero) }
        pool.run()
        try group.wait(within: .zero)
        #expect(ran.value == 2)
        queue.async { [queue, group] in
            #expect(queue.async(in: group, WorkItem {}))
            #expect(throws: SerialQueueError.self) { try group.wait(within: .seconds(100)) }
        }
        pool.run()
        let discarded = WorkItem(body())
        queue.async(in: group, discarded)
        try queue.shutdown(.discard)
        try group.wait(within: .zero)
        #expect(ran.value == 2 && !queue.async(in: group, WorkItem(body())))
    }

    @Test func a_barrier_is_a_member_until_it_has_run_or_was_discarded() throws {
        let pool = ManualPool(), queue = ConcurrentQueue(label: "barriers", on: pool)
        queue.async { [queue] in
            #expect(queue.asyncBarrier(in: group, body()))
            #expect(throws: SerialQueueError.self) { try group.wait(within: .seconds(1)) }
        }
        pool.run()
        try group.wait(within: .zero)
        #expect(ran.value == 1)
        #expect(queue.asyncBarrier(in: group, body()))
        try queue.shutdown(.discard)
        try group.wait(within: .zero)
        #expect(!queue.asyncBarrier(in: group, body()))
        #expect(ran.value == 1 && releases.value == 3)
    }

    @Test func notifications_come_once_each_in_their_order_when_the_count_is_zero() {
        let pool = ManualPool(), queue = SerialQueue(label: "notified", on: pool), seen = Log<Int>()
        group.enter()
        for number in 1...3 { group.notify(on: queue) { seen.append(number) } }
        pool.run()
        #expect(seen.entries == [])
        group.leave()
        group.notify(on: queue) { seen.append(4) }
        group.enter()
        pool.run()
        #expect(seen.entries == [1, 2, 3, 4])
        group.leave()
        pool.run()
        #expect(seen.entries == [1, 2, 3, 4])
    }

    @Test func the_last_reference_may_go_while_there_are_members() {
        let pool = ManualPool(), queue = SerialQueue(label: "late", on: pool)
        do {
            let group = WorkGroup()
            queue.async(in: group, body())
            group.notify(on: queue, body())
        }
        pool.run()
        #expect(ran.value == 2 && releases.value == 2)
    }

    // Waits

    @Test func a_wait_ends_at_the_next_zero_although_members_enter_after_it() async throws {
        for _ in 0..<rounds {
            group.enter()
            let task = Task.immediate { [group] in try await group.wait() }
            let thread = TestThread { [group] in waitHere(group) }
            group.leave()
            group.enter()  // before the task has run; the thread waits for this one, if it comes late
            try await task.value
            group.leave()
            thread.join()
        }
    }

    @Test func a_cancelled_task_throws_at_once() async throws {
        group.enter()
        let task = Task.immediate { [group] in try await group.wait() }
        let other = Task.immediate { [group] in try await group.wait() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        group.leave()
        try await other.value
        let late = Task.immediate { [group] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await group.wait()
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test func a_waiting_task_keeps_its_priority_and_its_isolation() async throws {
        group.enter()
        let task = Task.immediate(priority: .high) { @MainActor [group] in
            try await group.wait()
            MainActor.assertIsolated()
            return Task.currentPriority
        }
        let store = Store(SerialQueue(label: "waits"))
        let inside = Task {
            try await store.perform { [group] store in
                store.queue.async(in: group) {}  // its own queue runs it: the actor is suspended
                try await group.wait()
                store.assertIsolated()
            }
        }
        await comesTrue { store.queue.statistics.submitted > 0 }
        group.leave()
        #expect(try await task.value == .high)
        try await inside.value
    }

    @Test func a_member_behind_the_waiter_is_a_deadlock_that_is_named() throws {
        let queue = SerialQueue(label: "com.example.behind")
        let message = try queue.sync {
            queue.async(in: group) {}
            do throws(SerialQueueError) {
                try group.wait(within: .seconds(hangSeconds))
                return ""
            } catch {
                guard case .deadlock(let report) = error else { throw error }
                return report
            }
        }
        #expect(message.contains("\"com.example.behind\"") && message.contains("\"group\""))
        waitHere(group)
    }

    @Test func a_wait_without_a_limit_ends_the_program_there() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = SerialQueue(label: "com.example.behind"), group = WorkGroup(label: "members")
            queue.sync {
                queue.async(in: group) {}
                group.wait()
            }
        }
        #expect(child.said("Fatal error: WorkGroup.wait: "))
        #expect(child.said("\"com.example.behind\""))
        #expect(child.said("\"members\""))
    }

    @Test func a_wait_runs_what_a_manual_pool_has_ready() throws {
        let queue = SerialQueue(label: "manual", on: ManualPool())
        queue.async(in: group, body())
        try group.wait(within: .seconds(hangSeconds))
        #expect(ran.value == 1)
    }

    /// Members come and go while waits begin, end and are cancelled.
    @Test func no_wait_and_no_notification_is_lost_in_a_storm() async throws {
        let queue = SerialQueue(label: "storm", on: .shared), notified = Counter(), group = group
        let count = rounds
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<3 {
                tasks.addTask {
                    for round in 0..<count {
                        group.enter()
                        queue.async(in: group) {}
                        if round % 8 == 0 { group.notify(on: queue) { notified.increment() } }
                        if round % 5 == 0 { await Task.yield() }
                        #expect(group.leave())
                    }
                }
            }
            for _ in 0..<2 {
                tasks.addTask {
                    for round in 0..<count {
                        let wait = Task { try await group.wait() }
                        if round % 2 == 0 { await Task.yield() }
                        if round % 3 == 0 { wait.cancel() }
                        _ = await wait.result
                    }
                }
            }
            try await tasks.waitForAll()
        }
        try await group.wait()
        await queue.drain()
        #expect(notified.value == 3 * ((count + 7) / 8))
        #expect(!group.leave())
    }
}

/// The wait that blocks: an async function would call the other one.
func waitHere(_ group: WorkGroup) {
    group.wait()
}
