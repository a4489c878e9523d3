// A value that belongs to a queue cannot be reached without it: not through the type, a capture, the initial value or a result.
import SerialQueue

final class Box { var number = 0 }

actor Owner {
    let boxes = QueueIsolated(Box(), on: SerialQueue())
    let numbers = BarrierIsolated([1], on: ConcurrentQueue())
    var box = Box()

    func stores_what_it_still_uses() {
        let box = box
        boxes.sync { $0 = box } // error: 'inout sending' parameter '$0' cannot be task-isolated at end of function
    }
    func keeps_the_value() {
        boxes.sync { box = $0 } // error: 'inout sending' parameter '$0' cannot be 'self'-isolated at end of function
    }
    func keeps_it_in_a_variable() -> Bool {
        var kept: Box?
        boxes.sync { kept = $0 } // error: 'inout sending' parameter '$0' cannot be task-isolated at end of function
        return kept == nil
    }
    func keeps_it_in_a_task() {
        boxes.async { value in
            let box = value
            Task.detached { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
        }
    }
    func submits_what_it_still_uses() {
        let box = box
        boxes.async { $0.number = box.number } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func uses_what_it_has_submitted() {
        let box = Box()
        boxes.async { value in value.number = box.number } // error: sending value of non-Sendable type '(inout Box) -> ()' risks causing data races
        box.number += 1
    }
    func runs_with_what_it_still_uses() async throws {
        let box = box
        try await boxes.run { $0.number = box.number } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func runs_and_returns_the_value() async throws -> Box {
        try await boxes.run { $0 } // error: returning task-isolated '$0' as a 'sending' result risks causing data races
    }
    func makes_one_of_what_it_still_uses() -> QueueIsolated<Box> {
        QueueIsolated(box, on: SerialQueue()) // error: sending 'self.box' risks causing data races
    }
}
