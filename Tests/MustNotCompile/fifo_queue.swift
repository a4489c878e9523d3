// The closures of a FIFOQueue run elsewhere: the caller must not use what they capture.
import SerialQueue
import SerialQueueOrdered

final class Box { var number = 0 }

actor Owner {
    let queue = FIFOQueue()
    var box = Box()

    func waits() async {
        let box = box
        await queue.enqueueAndWait { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func waits_for_a_result() async -> Int {
        let box = box
        return await queue.enqueueAndWait { box.number += 1; return box.number } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func waits_for_an_error() async throws {
        let box = box
        try await queue.enqueueAndWait { box.number += 1; throw CancellationError() } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func waits_for_a_closure_that_suspends() async {
        let box = box
        await queue.enqueueAndWait { () async -> Void in box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func enqueues() {
        let box = box
        queue.enqueue { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
}

@MainActor final class View {
    let queue = FIFOQueue()
    var box = Box()

    func waits() async {
        let box = box
        await queue.enqueueAndWait { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
        box.number += 1
    }
}
