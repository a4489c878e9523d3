// The closures of `run` and `submit` run on the queue's thread: the caller must not use what they capture.
import SerialQueue

final class Box { var number = 0 }

actor Owner {
    let queue = SerialQueue()
    var box = Box()

    func runs() async throws {
        let box = box
        try await queue.run { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func runs_for_a_result() async throws -> Int {
        let box = box
        return try await queue.run { box.number += 1; return box.number } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func runs_a_closure_that_throws() async throws -> Int {
        let box = box
        return try await queue.run { () throws -> Int in box.number += 1; return box.number } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func gets_its_own_object_back() async throws -> Box {
        let box = box
        return try await queue.run { box } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func submits() async throws {
        let box = box
        try await queue.submit { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func submits_a_variable() async throws {
        let box = box
        let body: () -> Void = { box.number += 1 }
        try await queue.submit(body) // error: sending 'body' risks causing data races
    }
}

@MainActor final class View {
    let queue = SerialQueue()
    var box = Box()

    func runs() async throws {
        let box = box
        try await queue.run { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
        box.number += 1
    }
    func submits() async throws {
        let box = box
        try await queue.submit { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
        box.number += 1
    }
}

func used_afterwards(_ queue: SerialQueue) async throws {
    let box = Box()
    try await queue.submit { box.number += 1 } // error: sending value of non-Sendable type
    box.number += 1
}
