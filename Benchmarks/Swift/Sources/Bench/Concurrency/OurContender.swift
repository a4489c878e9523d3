// OurContender.swift: this library's side of the same.

import SerialQueue
import SerialQueueOrdered

actor SerialQueueCounter: Counter {
    private let queue = SerialQueue(label: "bench")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    private(set) var counted = 0
    func up() { counted += 1 }
}

struct FIFOQueueContender: OrderedContender {
    private let queue = FIFOQueue()

    func hold(at gate: Gate) {
        queue.enqueue { gate.pass() }
    }

    func enqueue(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.enqueue { countdown.upAndOpen() }
        }
    }

    func tasks(_ count: Int, counting countdown: Countdown) -> [Task<Void, Never>] {
        (0..<count).map { _ in
            Task(on: queue) { countdown.up() }
        }
    }

    func roundTrips(_ count: Int, counting countdown: Countdown) async {
        for _ in 0..<count {
            await Task(on: queue) { countdown.up() }.value
        }
    }
}

struct ActorQueueContender: OrderedContender {
    private let actor = DefaultCounter()
    private let queue = ActorQueue<DefaultCounter>()

    init() {
        queue.adoptExecutionContext(of: actor)
    }

    func hold(at gate: Gate) {
        queue.enqueue { _ in gate.pass() }
    }

    func enqueue(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.enqueue { _ in countdown.upAndOpen() }
        }
    }

    func tasks(_ count: Int, counting countdown: Countdown) -> [Task<Void, any Error>] {
        (0..<count).map { _ in
            Task(on: queue) { _ in countdown.up() }
        }
    }

    func roundTrips(_ count: Int, counting countdown: Countdown) async {
        for _ in 0..<count {
            _ = await Task(on: queue) { _ in countdown.up() }.result
        }
    }
}
