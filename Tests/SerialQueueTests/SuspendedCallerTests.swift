// SuspendedCallerTests.swift: what a caller captured is released although the caller itself cannot continue.

import SerialQueue
import SerialQueueOrdered
import Testing

/// The caller is isolated to an actor whose queue is suspended: it cannot continue, whatever the outcome.
@Suite(.timeLimit(.minutes(15))) struct SuspendedCallerTests {
    private let releases = Counter(), gate = AsyncGate()
    private let home = SerialQueue(label: "home")

    private actor Somebody {
        nonisolated let queue = ActorQueue<Somebody>()
        init() { queue.adoptExecutionContext(of: self) }
    }

    @inline(never) private func body() -> sending () -> Void {
        let captured = Captured(releases: releases)
        return { captured.touch() }
    }

    @inline(never) private func answer() -> sending () throws -> sending Int {
        let captured = Captured(releases: releases)
        return {
            captured.touch()
            return 1
        }
    }

    @inline(never) private func operation() -> @Sendable () async -> Void {
        let captured = Captured(releases: releases)
        return { [gate] in
            await gate.pass()
            captured.touch()
        }
    }

    @inline(never) private func operationOnSomebody() -> @Sendable (isolated Somebody) async -> Void {
        let captured = Captured(releases: releases)
        return { [gate] _ in
            await gate.pass()
            captured.touch()
        }
    }

    @inline(never) private func operationOnMain() -> @MainActor () async -> Void {
        let captured = Captured(releases: releases)
        return { [gate] in
            await gate.pass()
            captured.touch()
        }
    }

    /// Has an actor on `home` perform `call`, and suspends `home` when that waits.
    private func caller(_ call: @escaping @Sendable (isolated Store) async throws -> Void) async -> Task<Void, any Error> {
        let store = Store(home), began = AsyncGate()
        let task = Task {
            try await store.perform { store in
                began.open()
                try await call(store)
            }
        }
        await began.pass()
        await home.drain()  // the actor's job, as far as the call's suspension
        home.suspend()
        return task
    }

    @Test func a_run_that_is_cancelled_has_released_when_it_throws() async {
        let queue = SerialQueue(label: "awaited")
        queue.suspend()
        let task = await caller { [self] _ in
            await #expect(throws: CancellationError.self) { _ = try await queue.run(answer()) }
            #expect(releases.value == 1)
        }
        task.cancel()
        #expect(queue.depth == 0, "though the caller has not been resumed yet")
        home.resume()
        await #expect(throws: Never.self) { try await task.value }
        queue.resume()
    }

    @Test func a_submit_that_is_cancelled_has_released_when_it_throws() async {
        let queue = SerialQueue(label: "full", capacity: 1)
        queue.suspend()
        queue.async {}
        let task = await caller { [self] _ in
            await #expect(throws: CancellationError.self) { try await queue.submit(body()) }
            #expect(releases.value == 1)
        }
        task.cancel()
        home.resume()
        await #expect(throws: Never.self) { try await task.value }
        queue.resume()
    }

    @Test func a_run_is_over_for_drain() async throws {
        let queue = SerialQueue(label: "awaited")
        queue.suspend()
        let task = await caller { [self] _ in _ = try await queue.run(answer()) }
        queue.resume()
        await queue.drain()
        #expect(releases.value == 1)
        home.resume()
        try await task.value
    }

    @Test func enqueue_and_wait_is_over_for_drain() async throws {
        let fifo = FIFOQueue()
        let task = await caller { [self] _ in await fifo.enqueueAndWait(operation()) }
        gate.open()
        await fifo.drain()
        #expect(releases.value == 1)
        home.resume()
        try await task.value
    }

    @Test func enqueue_and_wait_on_an_actor_is_over_for_drain() async throws {
        let fifo = FIFOQueue(), somebody = Somebody()
        let task = await caller { [self] _ in await fifo.enqueueAndWait(on: somebody, operationOnSomebody()) }
        gate.open()
        await fifo.drain()
        #expect(releases.value == 1)
        home.resume()
        try await task.value
    }

    @Test func enqueue_and_wait_on_an_actors_queue_is_over_for_drain() async throws {
        let somebody = Somebody()
        let task = await caller { [self] _ in await somebody.queue.enqueueAndWait(operationOnSomebody()) }
        gate.open()
        await somebody.queue.drain()
        #expect(releases.value == 1)
        home.resume()
        try await task.value
    }

    @Test func enqueue_and_wait_on_the_main_actor_is_over_for_drain() async throws {
        let task = await caller { [self] _ in await MainActorQueue.shared.enqueueAndWait(operationOnMain()) }
        gate.open()
        await MainActorQueue.shared.drain()
        #expect(releases.value == 1)
        home.resume()
        try await task.value
    }
}
