// What is right must compile: so each error of the other files has its own reason.
import SerialQueue
import SerialQueueOrdered

final class Box {
    var number = 0
    func add() { number += 1 }
}
func freeFunction() {}
func takesAnItem(_ item: WorkItem) {}

actor Owner {
    let queue = SerialQueue(), fifo = FIFOQueue()
    var box = Box()
    var count = 0

    func gives_away() async throws -> Int {
        let box = Box()
        return try await queue.run { box.number += 1; return box.number }
    }
    func submits() async throws {
        let box = Box()
        try await queue.submit { box.number += 1 }
    }
    func gets() async throws {
        box = try await queue.run { Box() }
    }
    func waits() async -> Int {
        let box = Box()
        return await fifo.enqueueAndWait { box.number += 1; return box.number }
    }
    func borrows() {
        queue.sync { box.number += 1 }
    }
    /// By name, or in a variable.
    func submits_functions_without_isolation(_ sendable: @escaping @Sendable () -> Void, _ item: WorkItem) async throws {
        let box = Box(), group = WorkGroup(), local = { print("local") }
        queue.async(freeFunction)
        queue.async(Self.work)
        queue.async(without)
        queue.async(sendable)
        queue.async(local)
        queue.async(in: group, box.add)
        queue.asyncAfter(.zero, sendable)
        try queue.async(waitingUpTo: .zero, sendable)
        try await queue.submit(sendable)
        group.notify(on: queue, sendable)
        item.notify(on: queue, freeFunction)
        queue.async(WorkItem(freeFunction))
        queue.async(WorkItem(label: "item", takesAnItem))
        _ = queue.makeTimer(every: .seconds(1), sendable)
        queue.makeTimer(sendable).cancel(then: freeFunction)
        queue.async(WorkItem(label: "item", repeats: true, isBarrier: true, freeFunction))
        if queue.async(sendable) { fifo.enqueue(freeFunction) }
    }
    func submits_what_was_sent(_ body: sending @escaping () -> Void) {
        queue.async(body)
    }
    nonisolated func without() {}
    static func work() {}
    func gives_away_to_a_value() async throws -> Int {
        let boxes = QueueIsolated(Box(), on: queue), given = Box(), added = Box()
        boxes.async { $0 = given }
        let number = box.number
        boxes.sync { $0.number += number }
        return try await boxes.run { value in
            value.number += added.number
            return value.number
        }
    }
    /// A timer's closure need not be `@Sendable`.
    func makes_a_timer() -> SerialQueue.Timer {
        let box = Box()
        return queue.makeTimer(every: .seconds(1)) { box.number += 1 }
    }
    func submits_members_and_items(_ group: WorkGroup) {
        let (box, other) = (Box(), Box())
        queue.async(in: group) { box.number += 1 }
        queue.async(WorkItem { other.number += 1 })
    }
    /// On the actor, without leaving it.
    func has_a_permit(_ semaphore: Semaphore, _ once: Once) async throws -> Int {
        once.run { box.number += 1 }
        return try await semaphore.withPermit {
            box.number += 1
            return box.number
        }
    }
    /// As in `Task { }`.
    func makes_a_task_of_its_own() {
        Task(on: fifo) { count += 1 }
        Task(on: fifo) { box.number += 1 }
    }
}

@MainActor final class View {
    let queue = SerialQueue(), fifo = FIFOQueue()
    var box = Box()

    func count() { box.number += 1 }
    func wait() async { box.number += 1 }
    /// A function of a global actor keeps its isolation in an async closure.
    func enqueues_its_own_functions() async {
        fifo.enqueue(count)
        fifo.enqueue(wait)
        Task(on: fifo, operation: count)
        await fifo.enqueueAndWait(wait)
    }
    func returns_to_itself() {
        queue.async { Task { await self.count() } }
        queue.async { Task { @MainActor in self.count() } }
        queue.async { MainActor.assumeIsolated { self.count() } }
    }

    func makes_a_task_of_its_own() -> Task<Int, Never> {
        Task(on: fifo) {
            self.box.number += 1
            return self.box.number
        }
    }
}
