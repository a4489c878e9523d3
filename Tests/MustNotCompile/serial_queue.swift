// What a queue is given without waiting: the caller must not use what the closure captures.
import SerialQueue

final class Box { var number = 0 }

actor Owner {
    let queue = SerialQueue()
    var box = Box()

    func submits() {
        let box = box
        queue.async { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func submits_within() throws {
        let box = box
        try queue.async(waitingUpTo: .seconds(1)) { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func submits_for_later() {
        let box = box
        queue.asyncAfter(.seconds(1)) { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func makes_a_timer() -> SerialQueue.Timer {
        let box = box
        return queue.makeTimer(every: .seconds(1)) { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
}

@MainActor final class View {
    let queue = SerialQueue()
    var number = 0
    func count() { number += 1 }

    func submits_a_converted_function() {
        let body: () -> Void = count
        queue.async(body) // error: sending 'body' risks causing data races
    }
}
