// Members, notifications and work items: the caller must not use what the closure captures.
import SerialQueue

final class Box { var number = 0 }

actor Owner {
    let queue = SerialQueue(), group = WorkGroup()
    var box = Box()

    func submits_a_member() {
        let box = box
        queue.async(in: group) { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func is_notified() {
        let box = box
        group.notify(on: queue) { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func makes_an_item() -> WorkItem {
        let box = box
        return WorkItem { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    func is_notified_of_an_item(_ item: WorkItem) {
        let box = box
        item.notify(on: queue) { box.number += 1 } // error: passing closure as a 'sending' parameter risks causing data races
    }
    /// The closure would run without the actor.
    func waits_elsewhere(_ semaphore: Semaphore) async throws {
        let box = box
        try await Task.detached { try await semaphore.withPermit { box.number += 1 } }.value // error: passing closure as a 'sending' parameter risks causing data races
    }
}
