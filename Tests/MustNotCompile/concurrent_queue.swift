// What a concurrent queue refuses: to isolate an actor, and captures that the caller still uses.
import SerialQueue

final class Box { var number = 0 }

actor Owner {
    let queue = ConcurrentQueue()
    var box = Box()

    func submits() {
        let box = box
        queue.async { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func submits_a_barrier() {
        let box = box
        queue.asyncBarrier { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func runs_a_barrier() async throws {
        let box = box
        try await queue.runBarrier { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
}

/// Two closures of the queue run at the same time, so an actor on it would not be isolated.
func may_isolate(_ queue: ConcurrentQueue) -> any SerialExecutor {
    queue // error: return expression of type 'ConcurrentQueue' does not conform to 'SerialExecutor'
}

actor OnTheQueue {
    let queue = ConcurrentQueue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() } // error: value of type 'ConcurrentQueue' has no member 'asUnownedSerialExecutor'
}
