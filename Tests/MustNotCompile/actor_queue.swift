// The closures of an ActorQueue run on its actor, not on the actor that enqueues them.
import SerialQueue
import SerialQueueOrdered

final class Box { var number = 0 }

actor Log {
    nonisolated let queue = ActorQueue<Log>()
    init() { queue.adoptExecutionContext(of: self) }
}

actor Owner {
    let log = Log()
    var box = Box()

    func enqueues() {
        let box = box
        log.queue.enqueue { _ in box.number += 1 } // error: capture of 'box' with non-Sendable type 'Box'
    }
    func waits() async {
        let box = box
        await log.queue.enqueueAndWait { _ in box.number += 1 } // error: capture of 'box' with non-Sendable type 'Box'
    }
    func makes_a_task() {
        let box = box
        Task(on: log.queue) { _ in box.number += 1 } // error: capture of 'box' with non-Sendable type 'Box'
    }
    func forgets_that_a_closure_throws() async {
        await log.queue.enqueueAndWait { _ in throw CancellationError() } // error: call can throw
    }
}
