import Testing

@testable import SerialQueue
@testable import SerialQueueOrdered

@Suite(.timeLimit(.minutes(15))) struct MainActorQueueTests {
    @MainActor final class Screen {
        nonisolated init() {}
        var lines: [Int] = []
    }

    @Test func closures_begin_in_order_on_the_main_actor() async {
        let screen = Screen()
        for _ in 0..<10 {
            for line in 0..<1_000 {
                MainActorQueue.shared.enqueue(priority: line % 2 == 0 ? .low : .high) {
                    MainActor.preconditionIsolated()
                    screen.lines.append(line)
                }
            }
            await MainActorQueue.shared.drain()
            #expect(await screen.lines == Array(0..<1_000))
            await MainActorQueue.shared.enqueueAndWait { screen.lines = [] }
        }
    }

    @Test func the_main_actors_queue_is_the_shared_one() {
        #expect(MainActor.queue === MainActorQueue.shared)
    }

    @Test func values_and_errors_of_any_type_come_back() async throws {
        struct Refusal: Error, Equatable { let reason: Int }
        #expect(await Task(on: MainActor.queue) { 1 }.value == 1)
        let refused = Task(on: MainActor.queue) { throw Refusal(reason: 1) }
        await #expect(throws: Refusal(reason: 1)) { try await refused.value }
        #expect(await MainActor.queue.enqueueAndWait { 2 } == 2)
        do throws(Refusal) {
            try await MainActor.queue.enqueueAndWait { () async throws(Refusal) in throw Refusal(reason: 7) }
            Issue.record("it did not throw")
        } catch {
            #expect(error == Refusal(reason: 7))
        }
    }

    @Test func a_task_may_await_a_later_one_of_its_own_queue() async {
        let value = await MainActor.queue.enqueueAndWait { await MainActor.queue.enqueueAndWait { "inner" } }
        #expect(value == "inner")
    }

    @Test func cancel_all_reaches_what_runs() async {
        let begun = AsyncGate()
        let task = Task(on: MainActor.queue) {
            begun.open()
            while !Task.isCancelled { await Task.yield() }
        }
        await begun.pass()
        MainActor.queue.cancelAll()
        await task.value
    }

    /// Not with `MainActor.queue`: other tests cancel all of its tasks.
    @Test func cancel_all_of_a_queue_of_the_main_actor_reaches_only_its_own_tasks() async {
        let mine = ActorQueue<MainActor>(), other = ActorQueue<MainActor>()
        for queue in [mine, other] { queue.adoptExecutionContext(of: .shared) }
        let begun = [AsyncGate(), AsyncGate()], gate = AsyncGate()
        let others = Task(on: other) { _ in
            begun[0].open()
            await gate.pass()
            return Task.isCancelled
        }
        let own = Task(on: mine) { _ in
            begun[1].open()
            await gate.pass()
            return Task.isCancelled
        }
        for gate in begun { await gate.pass() }
        mine.cancelAll()
        gate.open()
        #expect(await own.value)
        #expect(!(await others.value))
    }
}
