import SerialQueue
import SerialQueueOrdered

/// What numbers are sent to. It owns the queue of what is sent to it.
actor List {
    nonisolated let queue = ActorQueue<List>()
    private(set) var numbers: [Int] = []

    init() {
        queue.adoptExecutionContext(of: self)
    }

    func append(_ number: Int) {
        numbers.append(number)
    }
}

/// A way to send numbers to an actor from a function that cannot await.
enum Sender: CaseIterable {
    case plainTask, fifoQueue, actorQueue, mainActorQueue

    var name: String {
        switch self {
        case .plainTask: "Task { }"
        case .fifoQueue: "FIFOQueue"
        case .actorQueue: "ActorQueue"
        case .mainActorQueue: "MainActor"
        }
    }

    /// Sends 1 to `count`, and waits until all have arrived.
    func send(_ count: Int, to list: List) async {
        switch self {
        case .plainTask:
            for task in sendByTasks(count, list) { await task.value }
        case .fifoQueue:
            let queue = FIFOQueue()
            send(count, list, by: queue)
            await queue.drain()
        case .actorQueue:
            send(count, list)
            await list.queue.drain()
        case .mainActorQueue:
            let collected = Collected()
            send(count, collected)
            await MainActor.queue.drain()
            for number in await collected.numbers { await list.append(number) }
        }
    }

    private func sendByTasks(_ count: Int, _ list: List) -> [Task<Void, Never>] {
        (1...count).map { number in Task { await list.append(number) } }
    }

    private func send(_ count: Int, _ list: List, by queue: FIFOQueue) {
        for number in 1...count { queue.enqueue(on: list) { $0.append(number) } }
    }

    private func send(_ count: Int, _ list: List) {
        for number in 1...count { list.queue.enqueue { $0.append(number) } }
    }

    private func send(_ count: Int, _ collected: Collected) {
        for number in 1...count { MainActor.queue.enqueue { collected.numbers.append(number) } }
    }
}

/// A list that only the main actor touches.
@MainActor final class Collected {
    var numbers: [Int] = []

    nonisolated init() {}
}
