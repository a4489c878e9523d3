import CTestSupport
import SerialQueue
import Testing

@Suite struct DrainTests {
    let queue = SerialQueue(label: "drained")
    let releases = Counter()
    let ran = Counter()

    private func submit() {
        let captured = Captured(releases: releases)
        queue.async { [ran] in
            captured.touch()
            ran.increment()
        }
    }

    @Test func a_drain_returns_after_everything_before_it() async {
        await queue.drain()
        for round in 1...20 {
            for _ in 0..<100 { submit() }
            await queue.drain()
            #expect(ran.value == 100 * round)
            #expect(releases.value == 100 * round)
        }
    }

    @Test func a_drain_does_not_wait_for_what_comes_after() async {
        let holdup = Holdup { queue.async($0) }
        let drained = Task { [queue] in await queue.drain() }
        await comesTrue { queue.depth == 1 }
        let later = Gate()
        queue.async { later.pass() }
        holdup.finish()
        await drained.value
        later.open()
        await queue.drain()
    }

    @Test func a_drain_needs_no_room() async {
        let queue = SerialQueue(label: "full", capacity: 1)
        let holdup = Holdup { queue.async($0) }
        #expect(queue.async {})
        let drained = Task { await queue.drain() }
        await comesTrue { queue.depth == 2 }
        holdup.finish()
        await drained.value
    }

    @Test func a_drain_may_be_called_from_the_queue_itself() async {
        let store = Store(queue)
        await store.perform { [ran] store in
            store.queue.async { ran.increment() }
            await store.queue.drain()
            #expect(ran.value == 1)
            store.assertIsolated()
        }
    }

    @Test func a_drain_of_a_queue_that_is_shut_down_awaits_its_end() async throws {
        let holdup = Holdup { queue.async($0) }
        submit()
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .drain) }
        let drained = Task { [queue] in await queue.drain() }
        await comesTrue { queue.statistics.rejected == 1 }
        holdup.finish()
        await drained.value
        #expect(ran.value == 1)
        await queue.drain()
    }

    @Test func a_discarded_drain_returns_too() async throws {
        let holdup = Holdup { queue.async($0) }
        submit()
        let drained = Task { [queue] in await queue.drain() }
        await comesTrue { queue.depth == 2 }
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .discard) }
        holdup.finish()
        await drained.value
        #expect(releases.value == 1)
        #expect(ran.value == 0)
    }

    @Test func an_awaited_shutdown_returns_after_the_last() async throws {
        for _ in 0..<100 { submit() }
        try await queue.shutdown()
        #expect(ran.value == 100)
        #expect(releases.value == 100)
        #expect(!queue.async {})
        try await queue.shutdown(.discard, within: .zero)
    }

    @Test func an_awaited_shutdown_may_time_out_and_continues() async throws {
        let holdup = Holdup { queue.async($0) }
        for _ in 0..<100 { submit() }
        await #expect(throws: SerialQueueError.timedOut) { try await queue.shutdown(.drain, within: .milliseconds(1)) }
        await #expect(throws: SerialQueueError.timedOut) { try await queue.shutdown(.discard, within: .seconds(-1)) }
        #expect(!queue.async {}, "the shutdown must continue in the background")
        holdup.finish()
        try await queue.shutdown()
        #expect(ran.value == 0)
        #expect(releases.value == 100)
    }

    /// More wait than Swift has threads: if each took one, nothing would open the gate.
    @Test func waiting_for_a_shutdown_blocks_no_thread_of_swifts() async {
        let queues = (0..<64).map { _ in SerialQueue(label: "many") }
        let gate = Gate()
        for queue in queues { queue.async { gate.pass() } }
        await withTaskGroup(of: Void.self) { group in
            for queue in queues {
                group.addTask {
                    await #expect(throws: Never.self) { try await queue.shutdown() }
                }
            }
            group.addTask {
                await comesTrue { queues.allSatisfy { !$0.async {} } }
                gate.open()
            }
        }
    }

    /// The synchronous one throws `deadlock` here. The actor continues after its queue's end.
    @Test func an_actor_may_await_the_shutdown_of_its_own_queue() async throws {
        let store = Store(queue)
        submit()
        try await store.perform { [ran] store in
            store.add(1)
            try await store.queue.shutdown()
            #expect(ran.value == 1)
            store.add(2)
            store.assertIsolated()
        }
        #expect(await store.entries == [1, 2])
    }

    @Test @MainActor func the_caller_keeps_its_isolation() async throws {
        submit()
        await queue.drain()
        MainActor.assertIsolated()
        submit()
        try await queue.shutdown()
        MainActor.assertIsolated()
        await queue.drain()
        MainActor.assertIsolated()
    }
}
