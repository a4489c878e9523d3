import CTestSupport
import SerialQueue
import Testing

@Suite struct ExecutorTests {
    let queue = SerialQueue(label: "executor")
    let store: Store

    init() {
        store = Store(queue)
    }

    /// The depth causes the order: each is submitted when the one before is in the queue.
    @Test func closures_jobs_and_syncs_share_one_order() async {
        let holdup = Holdup { queue.async($0) }
        queue.async { [store] in store.assumeIsolated { $0.entries.append(1) } }
        let second = Task { [store] in await store.add(2) }
        await comesTrue { queue.depth == 2 }
        let third = TestThread { [queue, store] in queue.sync { store.assumeIsolated { $0.entries.append(3) } } }
        await comesTrue { queue.depth == 3 }
        let fourth = Task { [store] in await store.add(4) }
        await comesTrue { queue.depth == 4 }
        queue.async { [store] in store.assumeIsolated { $0.entries.append(5) } }
        holdup.finish()
        third.join()
        await second.value
        await fourth.value
        await queue.drain()
        #expect(await store.entries == [1, 2, 3, 4, 5])
    }

    @Test func code_on_the_queue_may_assume_the_actors_isolation() throws {
        let other = SerialQueue(label: "other")
        func add(_ entry: Int) {
            #expect(queue.isIsolatingCurrentContext() == true)
            queue.checkIsolated()
            store.assumeIsolated { $0.entries.append(entry) }
        }
        queue.sync { add(1) }
        #expect(queue.trySync { add(2) } != nil)
        queue.syncOrRun { queue.syncOrRun { add(3) } }
        try queue.sync(within: .seconds(60)) { add(4) }
        try queue.runAndWait { add(5) }
        queue.sync { other.sync { add(6) } }
        TestThread { [queue, store] in queue.sync { store.assumeIsolated { $0.entries.append(7) } } }.join()
        queue.async { [store] in store.assumeIsolated { $0.entries.append(8) } }
        #expect(queue.sync { store.assumeIsolated { $0.entries } } == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(queue.isIsolatingCurrentContext() == false)
    }

    /// The runtime already tracks an executor for this thread (the main actor's, another one, or none), and must ask ours all the same.
    @Test @MainActor func a_task_isolated_elsewhere_may_assume_it_inside_a_sync() async {
        func addInside(_ entry: Int) {
            queue.sync { store.assumeIsolated { $0.entries.append(entry) } }
            MainActor.assertIsolated()
        }
        addInside(1)
        await Task.detached { [queue, store] in
            queue.sync { store.assumeIsolated { $0.entries.append(2) } }
        }.value
        let unrelated = Store(SerialQueue(label: "unrelated"))
        await unrelated.perform { [queue, store] unrelated in
            queue.sync {
                store.assumeIsolated { $0.entries.append(3) }
                unrelated.assumeIsolated { $0.entries.append(0) }
            }
        }
        #expect(await store.entries == [1, 2, 3])
    }

    @Test func an_actors_method_runs_on_the_queues_thread() async {
        await store.perform { store in
            #expect(store.queue.isCurrent)
            #expect(SerialQueue.current == store.queue)
            #expect(#isolation === store)
            await Task.yield()
            #expect(store.queue.isCurrent)
            await plainly { #expect(!store.queue.isCurrent) }
            #expect(store.queue.isCurrent)
            await inPlace { #expect(store.queue.isCurrent) }
            store.assertIsolated()
        }
    }

    /// A suspended method lets others in, synchronous callers too.
    @Test func an_actor_is_reentrant_for_syncs() async {
        let gate = Stopover()
        let method = Task { [store] in await store.add(1, past: gate, then: 3) }
        await comesTrue { gate.arrived == 1 }
        await comesTrue { queue.trySync { store.assumeIsolated { $0.entries.append(2) } } != nil }
        gate.open()
        await method.value
        #expect(await store.entries == [1, 2, 3])
    }

    @Test func handles_of_one_queue_are_one_isolation() async {
        let handle = queue.sync { SerialQueue.current! }
        #expect(handle !== queue)
        #expect(handle.isSameExclusiveExecutionContext(other: queue))
        #expect(!handle.isSameExclusiveExecutionContext(other: SerialQueue(label: "executor")))
        let sibling = Store(handle)
        await store.perform { store in
            assumed(sibling, 1)
            await sibling.perform { _ in assumed(store, 2) }
        }
        #expect(await store.entries == [2])
        #expect(await sibling.entries == [1])
    }

    @Test func actors_on_one_queue_call_each_other_without_a_job() async {
        let sibling = Store(queue)
        let jobs = await store.perform { store in
            let before = store.queue.statistics.submitted
            for entry in 0..<10 { await sibling.add(entry) }
            return store.queue.statistics.submitted - before
        }
        #expect(jobs == 0)
    }

    @Test func a_more_urgent_job_does_not_overtake() async {
        let holdup = Holdup { queue.async($0) }
        var tasks = [Task<Void, Never>]()
        for (number, priority) in [TaskPriority.background, .low, .medium, .high, .userInitiated].enumerated() {
            tasks.append(Task(priority: priority) { [store] in await store.add(number) })
            await comesTrue { queue.depth == number + 1 }
        }
        holdup.finish()
        for task in tasks { await task.value }
        #expect(await store.entries == [0, 1, 2, 3, 4])
    }

    @Test func a_job_needs_no_room_in_a_full_queue() async {
        let queue = SerialQueue(label: "narrow", capacity: 1)
        let store = Store(queue)
        let holdup = Holdup { queue.async($0) }
        #expect(queue.async {})
        #expect(!queue.async {})
        let tasks = (0..<10).map { number in Task { await store.add(number) } }
        await comesTrue { queue.depth == 11 }
        holdup.finish()
        for task in tasks { await task.value }
        #expect(await store.entries.sorted() == Array(0..<10))
        #expect(queue.statistics.rejected == 1)
    }

    /// The actor's plain state is accessed in every way: run it under ThreadSanitizer.
    @Test func every_way_onto_the_queue_excludes_the_others() async {
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask { [queue, store] in
                    for entry in 0..<250 {
                        switch (entry + worker) % 4 {
                        case 0: await store.add(entry)
                        case 1: queue.sync { store.assumeIsolated { $0.entries.append(entry) } }
                        case 2: queue.async { store.assumeIsolated { $0.entries.append(entry) } }
                        default: try! await queue.run { store.assumeIsolated { $0.entries.append(entry) } }
                        }
                    }
                }
            }
        }
        #expect(await store.entries.count == 1_000)
    }

    /// Counts the allocations of whole awaited calls, on both queues' threads. What Swift needs for a task is allocated before. The probe counts
    /// what a thread does between the calls, too, so these queues keep their threads: an ordinary queue's may run other tests meanwhile. One in
    /// ten calls may find that the runtime or the C library fills a cache of its own. In a release build a hop for an empty closure would be optimised away.
    @Test(.enabled(if: SwiftABI.isUsed, "the portable form allocates")) func a_job_allocates_nothing() async {
        let store = Store(SerialQueue(label: "keeps its thread", stackSize: 1 << 20))
        let other = Store(SerialQueue(label: "other", stackSize: 1 << 20))
        let allocations = await store.perform { store in
            for _ in 0..<100 { await other.perform { $0.touch() } }
            await other.perform { _ in allocation_probe_begin() }
            allocation_probe_begin()
            for _ in 0..<1_000 { await other.perform { $0.touch() } }
            let here = allocation_probe_end()
            let there = await other.perform { _ in allocation_probe_end() }
            return (here, there)
        }
        #expect(allocations.0 + allocations.1 < 100)
        #expect(other.queue.statistics.ran >= 1_000, "the calls must have been jobs of the queue")
    }
}

extension Store {
    /// An isolated method whose body the optimizer does not see.
    @inline(never) @_optimize(none)
    fileprivate func touch() {}
}

/// Leaves the actor it is called from.
@concurrent nonisolated func plainly(_ body: @Sendable () -> Void) async {
    body()
}

/// Stays where it is called.
nonisolated(nonsending) func inPlace(_ body: () -> Void) async {
    body()
}
