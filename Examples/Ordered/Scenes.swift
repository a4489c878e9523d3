import SerialQueue
import SerialQueueOrdered

/// Notes what its tasks do.
actor Scene {
    nonisolated let queue = ActorQueue<Scene>()
    private var events: [String] = []

    init() {
        queue.adoptExecutionContext(of: self)
    }

    var text: String { events.joined(separator: " ") }

    /// A task that suspends in the middle: the actor can run others in between.
    func perform(_ name: String, until isTime: @Sendable ([String]) -> Bool) async {
        events.append("[\(name)")
        while !isTime(events) { await Task.yield() }
        events.append("\(name)]")
    }
}

/// Nothing begins before what is ahead has ended.
func fifoScene() async -> String {
    let scene = Scene(), queue = FIFOQueue()
    for name in ["A", "B", "C"] {
        queue.enqueue(on: scene) { scene in
            await Task.yield()
            await scene.perform(name) { _ in true }
        }
    }
    await queue.drain()
    return await scene.text
}

/// Here each waits for something that the next one brings: what suspends lets others have the actor.
func actorScene() async -> String {
    let scene = Scene()
    for (name, next) in [("A", "B]"), ("B", "C]"), ("C", "[C")] {
        scene.queue.enqueue { scene in
            await scene.perform(name) { $0.contains(next) }
        }
    }
    await scene.queue.drain()
    return await scene.text
}
