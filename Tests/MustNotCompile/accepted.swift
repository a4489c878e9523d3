// Data races that Swift 6.3 accepts, with every signature that takes any function by name (FunctionsOfActors.md). When a compiler
// refuses one of these, move it to isolated_functions.swift.
import SerialQueue
import SerialQueueOrdered
import SerialQueueOperations

// swift#86801: an actor's method by name loses its isolation.
actor Store {
    let queue = SerialQueue(), fifo = FIFOQueue(), operations = WorkOperationQueue()
    var number = 0
    func count() { number += 1 }
    func add(_ index: Int) { number += index }

    func submits() {
        queue.async(count)
    }
    func makes_an_item() -> WorkItem {
        WorkItem(count)
    }
    func enqueues() {
        fifo.enqueue(count)
    }
    func makes_a_task() {
        Task(on: fifo, operation: count)
    }
    func waits() throws {
        try queue.asyncAndWait(count)
    }
    func applies() {
        WorkerPool.shared.apply(2, add)
    }
    func passes_a_function_of_a_value() {
        QueueIsolated(0, on: queue).async(change)
    }
    func change(_ value: inout Int) { value += number }
    func adds_an_operation() {
        operations.add("count", count)
    }
}

// swift#79836: the actor's own code may convert its function, and then the type has no isolation any more.
@MainActor final class Model {
    let queue = SerialQueue()
    var number = 0
    func count() { number += 1 }

    func converts() {
        queue.async(count as () -> Void)
    }
}
