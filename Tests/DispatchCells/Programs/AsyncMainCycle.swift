import Dispatch

/// Before its first await an async main function is on the main thread, which owns the main queue.
@main struct AsyncMainCycle {
    static func main() async {
        let q = DispatchQueue(label: "q")
        q.async { DispatchQueue.main.sync {} }
        wait(for: q)
    }

    /// Not in an async function, where `sync` would be a warning.
    static func wait(for queue: DispatchQueue) {
        queue.sync {}
    }
}
