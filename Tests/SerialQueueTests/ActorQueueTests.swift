import Testing

@testable import SerialQueue
@testable import SerialQueueOrdered

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
    @Test func a_thousand_closures_begin_in_order_a_thousand_times() async throws {
        for _ in 0..<rounds {
            let diary = Diary()
            diary.enqueueThousand()
            await diary.queue.drain()
            #expect(await diary.lines == Array(0..<1_000))
        }
    }

    /// A default actor prefers the job of higher priority.
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

    @Test func a_handle_has_the_value_or_the_error_and_cancels() async throws {
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
