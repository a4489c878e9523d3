import CTestSupport
import SerialQueue
import Testing

/// What happens to jobs when their queue ends, or its last reference is released: each of them runs.
@Suite struct ExecutorEndTests {
    let queue = SerialQueue(label: "ends")
    let store: Store

    init() {
        store = Store(queue)
    }

    @Test func a_discarded_job_runs_on_the_queue_all_the_same() async throws {
        let holdup = Holdup { queue.async($0) }
        let releases = Counter()
        do {
            let captured = Captured(releases: releases)
            queue.async { captured.touch() }
        }
        let job = Task { [store] in
            await store.perform { store in
                #expect(store.queue.isCurrent)
                store.add(1)
            }
        }
        await comesTrue { queue.depth == 2 }
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .discard) }
        holdup.finish()
        try await queue.shutdown(.discard)
        await job.value
        #expect(releases.value == 1)
        #expect(queue.statistics.discarded == 2)
        #expect(await store.entries == [1])
    }

    @Test func a_suspended_queue_that_is_discarded_runs_its_jobs() async throws {
        queue.suspend()
        let job = Task { [store] in await store.add(1) }
        await comesTrue { queue.depth == 1 }
        try await queue.shutdown(.discard)
        await job.value
        #expect(await store.entries == [1])
    }

    @Test(arguments: [SerialQueue.ShutdownMode.drain, .discard])
    func an_actor_continues_after_its_queues_shutdown(_ mode: SerialQueue.ShutdownMode) async throws {
        let gate = Stopover()
        let method = Task { [store] in await store.add(1, past: gate, then: 2) }
        await comesTrue { gate.arrived == 1 }
        try await queue.shutdown(mode)
        gate.open()
        await method.value
        await store.add(3)
        await store.perform { store in
            #expect(store.queue.isCurrent)
            #expect(SerialQueue.current == store.queue)
            store.queue.preconditionIsCurrent()
            #expect(store.queue.isIsolatingCurrentContext() == true)
            store.queue.checkIsolated()
            store.assertIsolated()
            assumed(store, 4)
        }
        #expect(await store.entries == [1, 2, 3, 4])
        #expect(queue.isIsolatingCurrentContext() == false)
    }

    @Test func a_late_job_waits_for_what_was_accepted() async {
        let holdup = Holdup { queue.async($0) }
        queue.async { [store] in store.assumeIsolated { $0.entries.append(1) } }
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .drain) }
        let late = Task { [store] in await store.add(2) }
        await comesTrue { queue.statistics.rejected == 1 }
        #expect(queue.depth == 1)
        holdup.finish()
        await late.value
        #expect(await store.entries == [1, 2])
    }

    /// A shutdown, and then a deinit that cleans up by `syncOrRun`: the documentation recommends both.
    @Test func sync_or_run_in_a_deinit_works_after_the_shutdown() throws {
        final class Owner: Sendable {
            let queue = SerialQueue(label: "closed")
            let closed: Counter
            init(_ closed: Counter) { self.closed = closed }
            deinit {
                queue.syncOrRun {
                    #expect(queue.isCurrent)
                    #expect(SerialQueue.current == queue)
                    queue.syncOrRun { _ = closed.increment() }
                }
            }
        }
        let closed = Counter()
        do {
            let owner = Owner(closed)
            try owner.queue.shutdown()
        }
        #expect(closed.value == 1)
        #expect(try queue.syncOrRun { () throws in 7 } == 7)
        try queue.shutdown()
        #expect(throws: Refusal.no) { try queue.syncOrRun { throw Refusal.no } }
        #expect(!queue.isCurrent)
    }

    @Test func sync_or_run_waits_between_shutdown_and_end() {
        let holdup = Holdup { queue.async($0) }
        let log = Guarded([Int]())
        queue.async { log.value.append(1) }
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .drain) }
        let thread = TestThread { [queue] in queue.syncOrRun { log.value.append(2) } }
        eventually { queue.statistics.rejected == 1 }
        holdup.finish()
        thread.join()
        #expect(log.value == [1, 2])
    }

    @Test func late_jobs_and_sync_or_run_exclude_each_other() async throws {
        try await queue.shutdown()
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask { [store, queue] in
                    for entry in 0..<50 {
                        if worker % 2 == 0 {
                            await store.add(worker * 50 + entry)
                        } else {
                            queue.syncOrRun { assumed(store, worker * 50 + entry) }
                        }
                    }
                }
            }
        }
        #expect(await store.entries.sorted() == Array(0..<400))
    }

    @Test func a_hundred_awaited_shutdowns_and_drains_need_no_thread() async throws {
        let queue = SerialQueue(label: "crowded end")
        queue.suspend()
        queue.async {}
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .drain) }
        let waiting = (0..<100).map { number in
            Task.immediate {
                if number % 2 == 0 { await queue.drain() } else { try await queue.shutdown() }
            }
        }
        #expect(threadNames().filter { $0 == "crowded end" }.count <= 1, "the queue's own")
        await #expect(throws: SerialQueueError.timedOut) { try await queue.shutdown(within: .milliseconds(20)) }
        queue.resume()
        for task in waiting { try await task.value }
        try await queue.shutdown(within: .seconds(3600))
    }

    @Test func late_jobs_exclude_each_other() async throws {
        try await queue.shutdown()
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask { [store] in
                    for entry in 0..<50 { await store.add(worker * 50 + entry) }
                }
            }
        }
        #expect(await store.entries.sorted() == Array(0..<400))
    }

    @Test func a_task_that_prefers_a_queue_survives_its_shutdown() async throws {
        let gate = Stopover()
        let task = Task(executorPreference: queue) { [queue] in
            #expect(queue.isCurrent)
            await gate.pass()
            #expect(queue.isCurrent)
            return 7
        }
        await comesTrue { gate.arrived == 1 }
        try await queue.shutdown()
        gate.open()
        #expect(await task.value == 7)
    }

    @Test func the_thread_of_late_jobs_ends_with_the_last_one() async throws {
        let queue = SerialQueue(label: "late thread")
        let store = Store(queue)
        try await queue.shutdown()
        await store.add(1)
        await comesTrue { !threadNames().contains("late thread") }
    }

    /// Only the task refers to the actor and its queue. Run it under AddressSanitizer.
    @Test func a_job_enqueued_at_the_last_release_runs() async {
        let (ran, releases) = (Counter(), Counter())
        for _ in 0..<500 {
            do {
                let store = Store(SerialQueue(label: "last"))
                Task { [captured = Captured(releases: releases)] in
                    await store.add(1)
                    await Task.yield()
                    await store.add(2)
                    captured.touch()
                    ran.increment()
                }
            }
            Task(executorPreference: SerialQueue(label: "last preferred")) { [captured = Captured(releases: releases)] in
                await Task.yield()
                captured.touch()
                ran.increment()
            }
        }
        await comesTrue { ran.value == 1_000 && releases.value == 1_000 }
        await comesTrue { !threadNames().contains("last") && !threadNames().contains("last preferred") }
    }

    /// An actor's isolated state is released with its last reference, on any thread: here on its own queue's.
    @Test func an_actor_may_drop_its_queue_in_its_own_method() async {
        let releases = Counter()
        final actor Owner {
            private let queue = SerialQueue(label: "owned")
            private let captured: Captured
            init(_ captured: Captured) { self.captured = captured }
            nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
            func touch() { captured.touch() }
        }
        for _ in 0..<100 {
            await Owner(Captured(releases: releases)).touch()
        }
        await comesTrue { releases.value == 100 }
    }
}

/// Calls the overload that blocks: in an async function `shutdown` means the other one.
func closeNow(_ queue: WorkQueue, _ mode: SerialQueue.ShutdownMode) throws {
    try queue.shutdown(mode, within: .zero)
}
