import Testing

@testable import SerialQueue
@testable import SerialQueueOrdered

@Suite(.timeLimit(.minutes(15))) struct ActorQueueLifetimeTests {
    @Test func a_task_keeps_the_actor_and_the_queue_does_not() async {
        let released = Counter(), gate = AsyncGate(), done = AsyncGate()
        let queue: ActorQueue<Diary>
        do {
            let diary = Diary { released.increment() }
            queue = diary.queue
            queue.enqueue { _ in await gate.pass() }
            queue.enqueue { _ in done.open() }
        }
        #expect(released.value == 0)
        gate.open()
        await done.pass()
        eventually { released.value == 1 }
    }

    @Test func enqueuing_for_an_actor_that_is_gone_is_refused_and_releases() async {
        let queue = Diary().queue
        let releases = Counter(), ran = Counter()
        let accepted = queue.enqueue { [captured = Captured(releases: releases)] _ in
            captured.touch()
            ran.increment()
        }
        #expect(!accepted)
        await queue.drain()
        #expect(releases.value == 1)
        #expect(ran.value == 0)
    }

    /// It traps, so that its handle needs to throw only what its closure throws.
    @Test func a_task_for_an_actor_that_is_gone_traps_and_names_enqueue() async throws {
        let task = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await Task(on: Diary().queue) { _ in }.value
        }
        let waiting = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await Diary().queue.enqueueAndWait { _ in }
        }
        for child in [task, waiting] {
            #expect(child.said("ActorQueue<Diary>: the actor of this queue has been deallocated"))
            #expect(child.said("enqueue, which returns false"))
        }
    }

    /// Compiles only if each throws what its closure throws.
    @Test func tasks_throw_only_what_their_closures_throw() async {
        let diary = Diary()
        let seven: Int = await Task(on: diary.queue) { _ in 7 }.value
        let eight: Int = await diary.queue.enqueueAndWait { _ in 8 }
        #expect([seven, eight] == [7, 8])
        do throws(Refusal) {
            try await diary.queue.enqueueAndWait { _ throws(Refusal) in throw .no }
            Issue.record("it has not thrown")
        } catch {
            #expect(error == .no)
        }
        await #expect(throws: Refusal.no) { try await Task(on: diary.queue) { _ in throw Refusal.no }.value }
    }

    @Test func enqueuing_before_adoption_traps_with_a_message() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ActorQueue<Diary>().enqueue { _ in }
        }
        #expect(child.said("ActorQueue<Diary>: enqueued before the queue had adopted an actor"))
        #expect(child.said("adoptExecutionContext(of: self)"))
    }

    @Test func adopting_two_actors_traps_with_a_message() async throws {
        let diary = Diary()
        diary.queue.adoptExecutionContext(of: diary)
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let diary = Diary()
            diary.queue.adoptExecutionContext(of: Diary())
        }
        #expect(child.said("has adopted another actor before"))
    }

    @Test func drain_in_a_task_of_the_queue_traps_with_a_message() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let diary = Diary()
            try? await diary.queue.enqueueAndWait { await $0.queue.drain() }
        }
        #expect(child.said("ActorQueue<Diary>.drain: called from a task of the same queue"))
    }

    @Test func drain_in_one_of_many_tasks_of_the_queue_traps_with_a_message() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let diary = Diary()
            for _ in 0..<1000 { diary.queue.enqueue { _ in while !Task.isCancelled { await Task.yield() } } }
            try? await diary.queue.enqueueAndWait { await $0.queue.drain() }
        }
        #expect(child.said("ActorQueue<Diary>.drain: called from a task of the same queue"))
    }

    @Test func drain_beside_many_tasks_waits_for_all_of_them() async {
        let diary = Diary()
        let ended = Counter()
        for round in 1...3 {
            for _ in 0..<1000 {
                diary.queue.enqueue { _ in
                    while !Task.isCancelled { await Task.yield() }
                    ended.increment()
                }
            }
            async let drained: Void = diary.queue.drain()
            diary.queue.cancelAll()
            await drained
            #expect(ended.value >= (round - 1) * 1000)
            await diary.queue.drain()
            #expect(ended.value == round * 1000)
        }
    }

    @Test func cancel_all_reaches_what_runs_and_what_waits_and_nothing_later() async {
        let diary = Diary()
        let seen = Counter(), notSeen = Counter()
        for _ in 0..<100 {
            diary.queue.enqueue { _ in
                while !Task.isCancelled { await Task.yield() }
                seen.increment()
            }
        }
        diary.queue.enqueue { diary in
            // The actor is busy here, so all of them wait.
            for _ in 0..<100_000 {
                diary.queue.enqueue { _ in (Task.isCancelled ? seen : notSeen).increment() }
            }
            diary.queue.cancelAll()
            for _ in 0..<10 {
                diary.queue.enqueue { _ in if !Task.isCancelled { notSeen.increment() } }
            }
        }
        while seen.value < 100 { await Task.yield() }
        await diary.queue.drain()
        #expect(seen.value == 100_100)
        #expect(notSeen.value == 10)
    }

    @Test func drain_waits_for_all_that_interleave_and_for_nothing_later() async {
        let diary = Diary(), later = AsyncGate()
        await diary.queue.drain()
        let gates = (0..<10).map { _ in AsyncGate() }, ended = Counter(), begun = AsyncGate()
        for gate in gates {
            diary.queue.enqueue { _ in
                await gate.pass()
                ended.increment()
            }
        }
        diary.queue.enqueue { _ in begun.open() }
        await begun.pass()
        let drained = Task.immediate {
            await diary.queue.drain()
            return ended.value
        }
        diary.queue.enqueue { _ in await later.pass() }
        for gate in gates.shuffled() { gate.open() }
        #expect(await drained.value == 10)
        later.open()
        await diary.queue.drain()
    }

    @Test func captures_are_released_once_and_before_the_task_ends() async {
        struct Refusal: Error {}
        let diary = Diary(), releases = Counter()
        for round in 1...100 {
            let handles = (0..<4).map { kind in
                let captured = Captured(releases: releases)
                let task = Task(on: diary.queue) { _ in
                    captured.touch()
                    if kind == 1 { throw Refusal() }
                    if kind == 2 { await Task.yield() }
                }
                if kind == 3 { task.cancel() }
                return task
            }
            if round % 2 == 0 { diary.queue.cancelAll() }
            await diary.queue.drain()
            withExtendedLifetime(handles) { #expect(releases.value == 4 * round) }
        }
    }
}
