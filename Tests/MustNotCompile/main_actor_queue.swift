// The closures of the MainActorQueue run on the main actor, not on the actor that enqueues them.
import SerialQueue
import SerialQueueOrdered

final class Box { var number = 0 }

actor Owner {
    var box = Box()

    func waits() async {
        let box = box
        await MainActor.queue.enqueueAndWait { box.number += 1 } // error: risks causing data races
    }
}
