import CTestSupport
import SerialQueue
import Testing

@Suite struct RunTests {
    let queue = SerialQueue(label: "run")
    let releases = Counter()
    let ran = Counter()

    @Test func run_returns_what_the_closure_returned() async throws {
        #expect(try await queue.run { 7 } == 7)
        let parcel = try await queue.run { Parcel("not Sendable") }
        #expect(parcel.content == "not Sendable")
        let token = try await queue.run { Unique(number: 3) }
        #expect(token.number == 3)
        try await queue.run {}
        #expect(queue.statistics.ran == 4)
    }

    @Test func run_throws_what_the_closure_threw() async {
        await #expect(throws: Refusal.no) { try await queue.run { throw Refusal.no } }
        #expect(queue.statistics.ran == 1)
    }

    @Test func run_takes_its_turn_on_the_queues_thread() async throws {
        let log = Guarded([Int]())
        let holdup = Holdup { queue.async($0) }
        queue.async { log.value.append(1) }
        let task = Task { [queue] in
            try await queue.run {
                #expect(queue.isCurrent)
                log.value.append(2)
            }
        }
        await comesTrue { queue.depth == 2 }
        queue.async { log.value.append(3) }
        holdup.finish()
        try await task.value
        await queue.drain()
        #expect(log.value == [1, 2, 3])
    }

    @Test func captures_are_gone_when_the_caller_continues() async throws {
        for round in 1...200 {
            let captured = Captured(releases: releases)
            try await queue.run { captured.touch() }
            _ = consume captured
            #expect(releases.value == round)
        }
        for round in 201...400 {
            let captured = Captured(releases: releases)
            _ = try? await queue.run {
                captured.touch()
                throw Refusal.no
            }
            _ = consume captured
            #expect(releases.value == round)
        }
    }

    @Test @MainActor func the_caller_keeps_its_isolation() async throws {
        try await queue.run {}
        MainActor.assertIsolated()
        await #expect(throws: Refusal.no) { try await queue.run { throw Refusal.no } }
        MainActor.assertIsolated()
    }

    /// A sync would be a deadlock.
    @Test func run_may_be_called_from_the_queue_itself() async throws {
        let store = Store(queue)
        let count = try await store.perform { store in
            store.add(1)
            try await store.queue.run { assumed(store, 2) }
            store.assertIsolated()
            store.add(3)
            return store.entries.count
        }
        #expect(count == 3)
        let inner = try await Task(executorPreference: queue) { [queue] in
            try await queue.run { 7 }
        }.value
        #expect(inner == 7)
    }

    @Test func run_from_many_tasks_at_a_time_is_one_at_a_time() async throws {
        let sum = Guarded(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [queue] in
                    for _ in 0..<250 { try await queue.run { sum.value += 1 } }
                }
            }
            try await group.waitForAll()
        }
        #expect(sum.value == 2_000)
    }

    @Test func a_discarded_run_is_refused_and_releases() async throws {
        let holdup = Holdup { queue.async($0) }
        let task = start()
        await comesTrue { queue.depth == 1 }
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .discard) }
        holdup.finish()
        await #expect(throws: SerialQueueError.shutDown) { try await task.value }
        #expect(releases.value == 1)
        #expect(ran.value == 0)
    }

    @Test func run_is_refused_after_the_shutdown() async throws {
        try await queue.shutdown()
        await #expect(throws: SerialQueueError.shutDown) { try await start().value }
        await #expect(throws: SerialQueueError.shutDown) { try await queue.submit {} }
        #expect(releases.value == 1)
        #expect(ran.value == 0)
    }

    /// No machine has the memory for such a stack, so the thread cannot be started.
    @Test(.enabled(if: !promisesAnyMemory(), "this system promises memory that it does not have"))
    func run_without_a_thread_is_refused() async {
        for capacity in [nil, 1] {
            let queue = SerialQueue(label: "refuses", capacity: capacity, stackSize: 1 << 40)
            await #expect(throws: SerialQueueError.noResources) { try await queue.run {} }
            await #expect(throws: SerialQueueError.noResources) { try await queue.submit {} }
        }
    }

    /// A task that runs a closure which counts its run and the release of what it captured.
    private func start() -> Task<Void, any Error> {
        let captured = Captured(releases: releases)
        return Task { [queue, ran] in
            try await queue.run {
                captured.touch()
                ran.increment()
            }
        }
    }
}

enum Refusal: Error {
    case no
}

final class Parcel {
    let content: String

    init(_ content: String) {
        self.content = content
    }
}

struct Unique: ~Copyable {
    let number: Int
}
