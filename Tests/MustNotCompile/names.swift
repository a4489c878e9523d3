// The errors that DataRaces.md quotes, under "Names next to Foundation".
import Foundation
import SerialQueue

final class Poller {
    var permits: Semaphore?  // error: 'Semaphore' is ambiguous for type lookup in this context
}

final class Clock {
    var tick: Timer?
    init(_ queue: SerialQueue) {
        tick = queue.makeTimer { print("tick") }  // error: cannot assign value of type 'WorkQueue.Timer' to type 'Timer'
    }
}
