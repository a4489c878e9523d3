import Dispatch

/// A call, made on a queue; `log` gets a word when its closure runs, `done` a signal after it.
struct Call {
    let name: String
    /// Whether the caller waits for the closure.
    var waits = false
    /// Whether the closure runs alone on a concurrent queue.
    var isBarrier = false
    /// Whether its order among other submissions is known.
    var isLate = false
    let make: @Sendable (DispatchQueue, @escaping @Sendable () -> Void) -> Void
}

let calls: [Call] = [
    Call(name: "async") { queue, work in queue.async { work() } },
    Call(name: "async-execute") { queue, work in queue.async(execute: work) },
    Call(name: "async-qos") { queue, work in queue.async(qos: .utility) { work() } },
    Call(name: "async-barrier", isBarrier: true) { queue, work in queue.async(flags: .barrier) { work() } },
    Call(name: "async-group") { queue, work in
        let group = DispatchGroup()
        queue.async(group: group) { work() }
    },
    Call(name: "async-group-barrier", isBarrier: true) { queue, work in
        queue.async(group: DispatchGroup(), qos: .default, flags: .barrier) { work() }
    },
    Call(name: "async-item") { queue, work in queue.async(execute: DispatchWorkItem { work() }) },
    Call(name: "async-item-barrier", isBarrier: true) { queue, work in
        queue.async(execute: DispatchWorkItem(flags: .barrier) { work() })
    },
    Call(name: "async-group-item") { queue, work in
        queue.async(group: DispatchGroup(), execute: DispatchWorkItem { work() })
    },
    Call(name: "after", isLate: true) { queue, work in queue.asyncAfter(deadline: .now() + 0.005) { work() } },
    Call(name: "after-now", isLate: true) { queue, work in queue.asyncAfter(deadline: .now()) { work() } },
    Call(name: "after-wall", isLate: true) { queue, work in queue.asyncAfter(wallDeadline: .now() + .milliseconds(5)) { work() } },
    Call(name: "after-barrier", isBarrier: true, isLate: true) { queue, work in
        queue.asyncAfter(deadline: .now() + 0.005, flags: .barrier) { work() }
    },
    Call(name: "after-item", isLate: true) { queue, work in
        queue.asyncAfter(deadline: .now() + 0.005, execute: DispatchWorkItem { work() })
    },
    Call(name: "sync", waits: true) { queue, work in queue.sync { work() } },
    Call(name: "sync-result", waits: true) { queue, work in
        let result = queue.sync { () -> Int in
            work()
            return 7
        }
        precondition(result == 7)
    },
    Call(name: "sync-throws", waits: true) { queue, work in
        do {
            try queue.sync {
                work()
                throw Failure()
            }
            fatalError("not thrown")
        } catch {}
    },
    Call(name: "sync-barrier", waits: true, isBarrier: true) { queue, work in queue.sync(flags: .barrier) { work() } },
    Call(name: "sync-item", waits: true) { queue, work in queue.sync(execute: DispatchWorkItem { work() }) },
    Call(name: "sync-item-barrier", waits: true, isBarrier: true) { queue, work in
        queue.sync(execute: DispatchWorkItem(flags: .barrier) { work() })
    },
    Call(name: "group-notify", isLate: true) { queue, work in DispatchGroup().notify(queue: queue) { work() } },
    Call(name: "group-notify-item", isLate: true) { queue, work in
        DispatchGroup().notify(queue: queue, work: DispatchWorkItem { work() })
    },
    Call(name: "item-notify", isLate: true) { queue, work in
        let item = DispatchWorkItem {}
        item.notify(queue: queue) { work() }
        item.perform()
    },
    Call(name: "timer", isLate: true) { queue, work in
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 0.005)
        // Until it has fired: releasing it cancels it.
        timer.setEventHandler {
            work()
            timer.cancel()
        }
        timer.setCancelHandler {}
        timer.resume()
    },
]
