// What is right must compile: so each error of the other files has its own reason.
import SerialQueue

final class Box { var number = 0 }

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
    let fifo = FIFOQueue()
    var box = Box()

    func makes_a_task_of_its_own() -> Task<Int, Never> {
        Task(on: fifo) {
            self.box.number += 1
            return self.box.number
        }
    }
}
