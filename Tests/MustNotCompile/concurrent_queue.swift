// What a concurrent queue refuses: captures that the caller still uses.
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
