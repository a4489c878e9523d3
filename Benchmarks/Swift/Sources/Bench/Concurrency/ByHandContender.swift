// ByHandContender.swift: what one writes today: an executor over a DispatchQueue; an AsyncStream of closures, which one task
// takes out and runs. Written as lean as it goes: no checked continuations, no actors in between.

import Dispatch

final class DispatchQueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "bench")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

actor DispatchQueueCounter: Counter {
    private let executor = DispatchQueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private(set) var counted = 0
    func up() { counted += 1 }
}

/// Closures that begin and end in order. A handle is a task that waits for its turn.
struct StreamFIFOContender: OrderedContender {
    private let items: AsyncStream<@Sendable () async -> Void>.Continuation

    init() {
        let (stream, items) = AsyncStream<@Sendable () async -> Void>.makeStream()
        self.items = items
        Task.detached {
            for await item in stream { await item() }
        }
    }

    private func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let turn = Delivery<Void>()
        let task = Task {
            await turn.value
            await body()
        }
        items.yield {
            turn.send(())
            await task.value
        }
        return task
    }

    func hold(at gate: Gate) {
        items.yield { gate.pass() }
    }

    func enqueue(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            items.yield { countdown.upAndOpen() }
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

private func up(_ countdown: Countdown, on _: isolated DefaultCounter) { countdown.upAndOpen() }

/// Closures that begin in order on an actor. A handle is a task that waits for what the closure's own task delivers, and
/// cancels that one if it is cancelled itself.
struct StreamActorContender: OrderedContender {
    private typealias Item = @Sendable (isolated DefaultCounter) -> Void
    private let items: AsyncStream<Item>.Continuation

    init() {
        let (stream, items) = AsyncStream<Item>.makeStream()
        self.items = items
        Task.detached {
            let actor = DefaultCounter()
            for await item in stream { await item(actor) }
        }
    }

    private func task(_ body: @escaping @Sendable (isolated DefaultCounter) async -> Void) -> Task<Void, Never> {
        let done = Delivery<Void>()
        items.yield { actor in
            // Cannot begin before its handle is noted: the actor is busy here.
            done.comes(from: Task {
                await body(actor)
                done.send(())
            })
        }
        return Task {
            await withTaskCancellationHandler { await done.value } onCancel: { done.cancel() }
        }
    }

    func hold(at gate: Gate) {
        items.yield { _ in gate.pass() }
    }

    func enqueue(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            items.yield { actor in
                Task { up(countdown, on: actor) }
            }
        }
    }

    func tasks(_ count: Int, counting countdown: Countdown) -> [Task<Void, Never>] {
        (0..<count).map { _ in task { _ in countdown.up() } }
    }

    func roundTrips(_ count: Int, counting countdown: Countdown) async {
        for _ in 0..<count {
            await task { _ in countdown.up() }.value
        }
    }
}
