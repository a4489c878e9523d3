import Testing

@testable import SerialQueue
@testable import SerialQueueOrdered

@Suite struct TaskNameTests {
    private actor Owner {
        nonisolated let queue = ActorQueue<Owner>()
        init() { queue.adoptExecutionContext(of: self) }
    }

    @Test func a_task_has_the_name_that_it_was_enqueued_with() async {
        let fifo = FIFOQueue(), owner = Owner()
        #expect(await fifo.enqueueAndWait(name: "in turn") { Task.name } == "in turn")
        #expect(await fifo.enqueueAndWait(name: "on it", on: owner) { _ in Task.name } == "on it")
        #expect(await owner.queue.enqueueAndWait(name: "its own") { _ in Task.name } == "its own")
        #expect(await MainActorQueue.shared.enqueueAndWait(name: "main") { Task.name } == "main")
        let seen = Record<String?>()
        fifo.enqueue(name: "first") { seen.append(Task.name) }
        fifo.enqueue(name: "second", on: owner) { _ in seen.append(Task.name) }
        await fifo.drain()
        owner.queue.enqueue(name: "third") { _ in seen.append(Task.name) }
        await owner.queue.drain()
        MainActorQueue.shared.enqueue(name: "fourth") { seen.append(Task.name) }
        await MainActorQueue.shared.drain()
        #expect(seen.all == ["first", "second", "third", "fourth"])
    }
}
