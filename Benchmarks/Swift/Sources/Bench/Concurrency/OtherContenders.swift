// OtherContenders.swift: what the runtime itself has to offer, for comparison: an actor without an executor of its own, and
// tasks that wait for each other.

import Synchronization

actor DefaultCounter: Counter {
    private(set) var counted = 0
    func up() { counted += 1 }
}

/// A task for each call of an actor: what an ordered queue replaces. They come in no order.
struct UnorderedContender: OrderedContender {
    private let actor = DefaultCounter()

    private static func run(on _: isolated DefaultCounter, _ body: () -> Void) { body() }

    func hold(at gate: Gate) {
        Task { [actor] in await Self.run(on: actor) { gate.pass() } }
    }

    func enqueue(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            Task { [actor] in await Self.run(on: actor) { countdown.upAndOpen() } }
        }
    }

    func tasks(_ count: Int, counting countdown: Countdown) -> [Task<Void, Never>] {
        (0..<count).map { _ in
            Task { [actor] in await Self.run(on: actor) { countdown.up() } }
        }
    }

    func roundTrips(_ count: Int, counting countdown: Countdown) async {
        for _ in 0..<count {
            await Task { [actor] in await Self.run(on: actor) { countdown.up() } }.value
        }
    }
}

/// Each task awaits the one before it, and so they begin and end in order.
final class ChainContender: OrderedContender {
    private let last = Mutex<Task<Void, Never>?>(nil)

    @discardableResult
    private func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        last.withLock { last in
            let task = Task { [last] in
                await last?.value
                await body()
            }
            last = task
            return task
        }
    }

    func hold(at gate: Gate) {
        task { gate.pass() }
    }

    func enqueue(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            task { countdown.upAndOpen() }
        }
    }

    func tasks(_ count: Int, counting countdown: Countdown) -> [Task<Void, Never>] {
        (0..<count).map { _ in task { countdown.up() } }
    }

    func roundTrips(_ count: Int, counting countdown: Countdown) async {
        for _ in 0..<count {
            await task { countdown.up() }.value
        }
    }
}
