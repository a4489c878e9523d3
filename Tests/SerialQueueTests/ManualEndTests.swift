import Foundation
import SerialQueue
import Testing

/// What comes after the shutdown of a queue on a manual pool runs when the test says so, on the thread that runs the pool.
///
/// `Task.immediate` returns when the task is suspended: by then its job has been enqueued.
@Suite struct ManualEndTests {
    let pool = ManualPool()
    let queue: SerialQueue
    let store: Store
    let steps = Record<Step>()

    /// What ran, and on which thread.
    struct Step: Equatable {
        let name: String
        let thread: UInt
    }

    init() {
        queue = SerialQueue(label: "manual end", on: pool)
        store = Store(queue)
    }

    private func step(_ name: String) {
        steps.append(Step(name: name, thread: thisThread()))
    }

    private func lateJob(_ name: String, of store: Store) -> Task<Void, Never> {
        Task.immediate {
            await store.perform { store in
                #expect(store.queue.isCurrent)
                #expect(SerialQueue.current == store.queue)
                step(name)
            }
        }
    }

    /// Runs the pool. What has run until then must be these steps, all of them on this thread.
    private func run(_ location: SourceLocation = #_sourceLocation, ran count: Int, steps names: String...) {
        #expect(pool.run() == count, sourceLocation: location)
        expectHere(names, location)
    }

    private func expectHere(_ names: [String], _ location: SourceLocation = #_sourceLocation) {
        #expect(steps.all == names.map { Step(name: $0, thread: thisThread()) }, sourceLocation: location)
    }

    @Test func a_late_job_runs_when_the_pool_is_run() async throws {
        try closeNow(queue, .drain)
        let late = lateJob("late", of: store)
        run(ran: 1, steps: "late")
        await late.value
        #expect(pool.run() == 0)
    }

    @Test func late_jobs_wait_for_the_end_and_keep_their_order() async throws {
        queue.suspend()
        queue.async { step("accepted") }
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .drain) }
        let late = (1...3).map { lateJob("late \($0)", of: store) }
        run(ran: 0)
        queue.resume()
        expectHere([])
        run(ran: 4, steps: "accepted", "late 1", "late 2", "late 3")
        for task in late { await task.value }
    }

    @Test func late_jobs_of_several_queues_run_in_the_order_in_which_the_queues_end() async throws {
        let stores = (0..<8).map { Store(SerialQueue(label: "\($0)", on: pool)) }
        for store in stores {
            store.queue.suspend()
            store.queue.async {}
            #expect(throws: SerialQueueError.timedOut) { try closeNow(store.queue, .drain) }
        }
        let late = stores.map { lateJob($0.queue.label, of: $0) }
        for store in stores.reversed() { store.queue.resume() }
        #expect(pool.run() == 16)
        expectHere((0..<8).reversed().map { "\($0)" })
        for task in late { await task.value }
    }

    @Test func an_awaited_shutdown_returns_when_the_pool_is_run() async throws {
        queue.suspend()
        queue.async { step("accepted") }
        let shutdown = Task.immediate { [queue, steps] in
            try await queue.shutdown()
            return steps.all.count
        }
        run(ran: 0)
        queue.resume()
        run(ran: 1, steps: "accepted")
        #expect(try await shutdown.value == 1)
    }

    @Test func an_actor_that_awaits_the_shutdown_of_its_queue_continues_when_the_pool_is_run() async throws {
        let job = Task.immediate {
            try await store.perform { store in
                step("before")
                try await store.queue.shutdown()
                step("after")
                store.assertIsolated()
            }
        }
        // The first run also resumes the task that waits for the queue's end. It comes back through Swift's own threads, as a late
        // job, to this run or a later one.
        await comesTrue {
            let count = steps.all.count
            pool.run()
            let new = steps.all[count...]
            #expect(new.allSatisfy { $0.thread == thisThread() })
            return steps.all.count == 2
        }
        #expect(steps.all.map(\.name) == ["before", "after"])
        try await job.value
    }

    /// It runs at the time of the clock at which it was enqueued, not at the end of the advance.
    @Test func a_late_job_runs_on_the_way_of_an_advance() async throws {
        try closeNow(queue, .drain)
        let other = SerialQueue(label: "other", on: pool)
        let late = Guarded<Task<Void, Never>?>(nil)
        other.asyncAfter(.seconds(1)) { late.value = lateJob("late", of: store) }
        other.asyncAfter(.seconds(2)) { step("2 s") }
        pool.advance(by: .seconds(3))
        expectHere(["late", "2 s"])
        await late.value?.value
    }

    /// The queue ends when the timer resumes it, and the clock does not advance any further.
    @Test func a_late_job_runs_in_the_advance_in_which_its_queue_ends() async throws {
        queue.suspend()
        queue.async { step("accepted") }
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .drain) }
        let late = lateJob("late", of: store)
        SerialQueue(label: "other", on: pool).asyncAfter(.seconds(1)) { [queue] in _ = queue.resume() }
        #expect(pool.advance(by: .seconds(1)) == 3)
        expectHere(["accepted", "late"])
        await late.value
    }

    /// Nobody runs the pool: the caller runs what is ahead.
    @Test func sync_or_run_after_the_shutdown_runs_the_late_jobs_before_it() async throws {
        try closeNow(queue, .drain)
        let late = lateJob("late", of: store)
        queue.syncOrRun {
            #expect(queue.isCurrent)
            step("sync")
            queue.syncOrRun { step("nested") }
        }
        expectHere(["late", "sync", "nested"])
        await late.value
        #expect(pool.run() == 0)
    }

    @Test func sync_or_run_in_a_deinit_works_after_the_shutdown() throws {
        final class Owner: Sendable {
            let queue: SerialQueue
            let closed: @Sendable () -> Void
            init(_ queue: SerialQueue, _ closed: @escaping @Sendable () -> Void) {
                (self.queue, self.closed) = (queue, closed)
            }
            deinit {
                queue.syncOrRun { closed() }
            }
        }
        do {
            let owner = Owner(SerialQueue(label: "no thread", on: pool)) {
                step("closed")
                #expect(!threadNames().contains("no thread"))
            }
            try owner.queue.shutdown()
        }
        expectHere(["closed"])
    }

    @Test func sync_or_run_between_shutdown_and_end_waits_for_the_end() {
        queue.suspend()
        queue.async { step("accepted") }
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .drain) }
        let thread = TestThread { [queue] in
            queue.syncOrRun { step("sync") }
            #expect(steps.all.last == Step(name: "sync", thread: thisThread()))
        }
        eventually { queue.statistics.rejected == 1 }
        #expect(steps.all == [])
        queue.resume()
        pool.run()
        thread.join()
        #expect(steps.all.map(\.name) == ["accepted", "sync"])
    }
}

/// glibc declares pthread_self() constant, so within an async function the optimizer would keep the first result beyond a
/// suspension.
@inline(never) @_optimize(none)
private func thisThread() -> UInt {
    UInt(pthread_self())
}
