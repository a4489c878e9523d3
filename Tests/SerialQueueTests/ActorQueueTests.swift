import Testing

@testable import SerialQueue

/// Keeps what it is told, in a queue of its own.
private actor Diary {
    nonisolated let queue = ActorQueue<Diary>()
    private(set) var lines: [Int] = []
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void = {}) {
        self.onRelease = onRelease
        queue.adoptExecutionContext(of: self)
    }

    deinit {
        onRelease()
    }

    func write(_ line: Int) {
        lines.append(line)
    }

    nonisolated func enqueueThousand() {
        for line in 0..<1_000 {
            queue.enqueue { $0.write(line) }
        }
    }
}

/// An actor whose executor is a SerialQueue, by hand.
private actor Resident {
    final class Executor: SerialExecutor {
        let queue = SerialQueue(label: "com.example.resident")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    nonisolated let executor = Executor()
    nonisolated let queue = ActorQueue<Resident>()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    var numbers: [Int] = []

    init() { queue.adoptExecutionContext(of: self) }

    func add(_ number: Int) { numbers.append(number) }
}

@Suite(.timeLimit(.minutes(15))) struct ActorQueueTests {
    /// To see it fail: call `leave` in `ActorGate.enqueue` for every turn.
    @Test func a_thousand_closures_begin_in_order_a_thousand_times() async throws {
        for _ in 0..<rounds {
            let diary = Diary()
            diary.enqueueThousand()
            await diary.queue.drain()
            #expect(await diary.lines == Array(0..<1_000))
        }
    }

    /// A default actor prefers the job of higher priority. To see it fail: as above.
    @Test func the_order_holds_whatever_the_priorities_are() async throws {
        for _ in 0..<100 {
            let diary = Diary()
            await diary.queue.enqueueAndWait { diary in
                // The actor is busy here, so all of them wait.
                for line in 0..<10 {
                    diary.queue.enqueue(priority: line % 2 == 0 ? .low : .high) { $0.write(line) }
                }
            }
            await diary.queue.drain()
            #expect(await diary.lines == Array(0..<10))
        }
    }

    /// The reason for the test above: without a queue the high ones overtake.
    @Test func tasks_without_a_queue_overtake_by_priority() async throws {
        let diary = Diary()
        let tasks = await diary.queue.enqueueAndWait { diary in
            (0..<10).map { line in
                Task(priority: line % 2 == 0 ? .low : .high) { diary.write(line) }
            }
        }
        for task in tasks { await task.value }
        #expect(await diary.lines == [1, 3, 5, 7, 9, 0, 2, 4, 6, 8])
    }

    @Test func each_threads_order_is_kept_and_each_closure_runs_once() async {
        let diary = Diary()
        onThreads(4) { thread in
            for number in 0..<2_000 {
                diary.queue.enqueue { $0.write(thread * 10_000 + number) }
            }
        }
        await diary.queue.drain()
        let lines = await diary.lines
        #expect(lines.count == 8_000)
        for thread in 0..<4 {
            #expect(lines.filter { $0 / 10_000 == thread } == Array(thread * 10_000..<thread * 10_000 + 2_000))
        }
    }

    @Test func the_next_one_begins_where_one_suspends() async {
        let diary = Diary(), gate = AsyncGate()
        diary.queue.enqueue { diary in
            diary.write(1)
            await gate.pass()
            diary.preconditionIsolated()
            diary.write(4)
        }
        diary.queue.enqueue { diary in
            diary.write(2)
            gate.open()
            await Task.yield()
            diary.preconditionIsolated()
        }
        diary.queue.enqueue { $0.write(3) }
        await diary.queue.drain()
        let lines = await diary.lines
        #expect(lines.prefix(2) == [1, 2])
        #expect(lines.sorted() == [1, 2, 3, 4])
    }

    @Test func a_task_may_await_a_later_one_of_its_own_queue() async throws {
        let diary = Diary()
        let value = await diary.queue.enqueueAndWait { diary in
            let inner = await diary.queue.enqueueAndWait { diary in
                diary.write(1)
                return "inner"
            }
            return inner + " and " + (await Task(on: diary.queue) { _ in "handle" }.value)
        }
        #expect(value == "inner and handle")
    }

    @Test func it_works_on_an_actor_with_an_executor_of_its_own() async throws {
        let resident = Resident()
        for number in 0..<1_000 {
            resident.queue.enqueue { resident in
                resident.executor.queue.preconditionIsCurrent()
                resident.add(number)
                if number % 10 == 0 { await Task.yield() }
                resident.executor.queue.preconditionIsCurrent()
            }
        }
        await resident.queue.drain()
        #expect(await resident.numbers == Array(0..<1_000))
    }

    @Test func a_handle_tells_value_and_error_and_cancels() async throws {
        struct Refusal: Error {}
        let diary = Diary(), gate = AsyncGate()
        #expect(try await Task(on: diary.queue) { $0.lines.count }.value == 0)
        let refused = Task(on: diary.queue) { _ in throw Refusal() }
        await #expect(throws: Refusal.self) { try await refused.value }
        let cancelled = Task(on: diary.queue) { _ in
            await gate.pass()
            return Task.isCancelled
        }
        cancelled.cancel()
        gate.open()
        #expect(try await cancelled.value)
        let caller = Task {
            try await diary.queue.enqueueAndWait { _ in try await Task.sleep(for: .seconds(3_600)) }
        }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
    }

    @Test func task_locals_priority_and_name_reach_the_task() async throws {
        let diary = Diary()
        let local = await FIFOQueueTests.Locals.$name.withValue("set") {
            await Task(on: diary.queue) { _ in FIFOQueueTests.Locals.name }.value
        }
        #expect(local == "set")
        let inherited = await Task.detached(priority: .utility) {
            await Task(on: diary.queue) { _ in Task.basePriority }.value
        }.value
        #expect(inherited == .utility)
        #expect(try await Task(name: "named", on: diary.queue) { _ in Task.name }.value == "named")
    }
}

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

    /// So its handle throws only what its closure throws.
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

    // To see it fail: insert no task into the set of many but those that fill it.
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

    /// To see it fail: let `RunningTasks.hasEnded` ask for `begun >= below` only.
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
