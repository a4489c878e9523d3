/// The promises of a serial queue, held against a record.
struct Promises {
    let record: Record

    /// One sentence for each promise that was broken.
    var broken: [String] {
        let counts = eachRanOnce()
        if !counts.isEmpty { return counts }  // what follows looks up when each task ran
        return oneAtATime() + inOrder() + onTheRightThread() + syncWaited()
    }

    private func name(_ task: Int) -> String { record.tasks[task].name }

    private func eachRanOnce() -> [String] {
        record.tasks.indices.compactMap { task in
            let runs = record.events.count { $0.task == task && $0.moment == .runs }
            let done = record.events.count { $0.task == task && $0.moment == .done }
            return runs == 1 && done == 1 ? nil : "task \(name(task)) began \(runs) times and ended \(done) times"
        }
    }

    private func oneAtATime() -> [String] {
        var running: Int?
        for event in record.events {
            if event.moment == .runs {
                if let running { return ["\(name(event.task)) began while \(name(running)) ran"] }
                running = event.task
            } else if event.moment == .done {
                running = nil
            }
        }
        return []
    }

    /// A task whose submission was over when another's began runs before it, whichever threads they came from.
    private func inOrder() -> [String] {
        var broken: [String] = []
        for first in record.tasks.indices {
            for second in record.tasks.indices
            where record.place(.returned, first) < record.place(.submits, second)
                && record.place(.runs, first) > record.place(.runs, second)
            {
                broken.append("\(name(second)) ran before \(name(first)), which was submitted before it")
            }
        }
        return broken
    }

    private func onTheRightThread() -> [String] {
        record.events.filter { $0.moment == .runs }.compactMap { event in
            let task = record.tasks[event.task]
            if task.isSync {
                return event.thread == task.caller ? nil : "sync \(task.name) did not run on its caller's thread"
            }
            return event.thread == record.callerCount ? nil : "async \(task.name) did not run on the queue's own thread"
        }
    }

    /// A sync returns when its task is done, not before.
    private func syncWaited() -> [String] {
        record.tasks.indices
            .filter { record.tasks[$0].isSync && record.place(.returned, $0) < record.place(.done, $0) }
            .map { "sync \(name($0)) returned before it was done" }
    }
}
