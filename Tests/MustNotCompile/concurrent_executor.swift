// Two closures of a concurrent queue run at the same time, so an actor on it would not be isolated.
import SerialQueue

func may_isolate(_ queue: ConcurrentQueue) -> any SerialExecutor {
    queue // error: return expression of type 'ConcurrentQueue' does not conform to 'SerialExecutor'
}

actor OnTheQueue {
    let queue = ConcurrentQueue()
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() } // error: value of type 'ConcurrentQueue' has no member 'asUnownedSerialExecutor'
}
