import SerialQueue
import Testing

/// Waits that would never end are refused, and the others continue.
@Suite struct DeadlockTests {
    /// How a closure may wait for another queue, without a trap.
    enum Wait: CaseIterable {
        case syncWithin, runAndWait, shutdown, room

        func wait(for queue: SerialQueue) throws {
            switch self {
            case .syncWithin: try queue.sync(within: .seconds(3600)) {}
            case .runAndWait: try queue.runAndWait {}
            case .shutdown: try queue.shutdown()
            case .room: try queue.async(waitingUpTo: .seconds(3600)) {}
            }
        }
    }

    /// Each queue's task waits for the next queue, when all of them run. Returns the errors of the waits that were refused.
    private func runCycle(_ queues: [SerialQueue], _ wait: Wait) -> [SerialQueueError] {
        let thrown = Guarded([SerialQueueError]())
        let guardian = SerialQueue(label: "guardian")
        let running = queues.map { _ in Gate() }
        let ended = queues.map { _ in Gate() }
        for index in queues.indices {
            queues[index].async {
                running[index].open()
                running.forEach { $0.pass() }
                do {
                    try wait.wait(for: queues[(index + 1) % queues.count])
                } catch {
                    guardian.sync { thrown.value.append(error as! SerialQueueError) }
                }
                ended[index].open()
            }
        }
        running.forEach { $0.pass() }
        ended.forEach { $0.pass() }
        return guardian.sync { thrown.value }
    }

    private func expectReport(_ error: SerialQueueError?, names queues: [SerialQueue]) {
        guard case .deadlock(let report) = error else {
            Issue.record("no deadlock: \(String(describing: error))")
            return
        }
        #expect(report.hasPrefix("deadlock: thread "))
        for queue in queues {
            #expect(report.contains("queue \"\(queue.label)\""))
        }
        #expect(error!.description == report)
    }

    @Test(arguments: [Wait.syncWithin, .runAndWait])
    func two_queues_that_wait_for_each_other_are_reported_by_name(_ wait: Wait) {
        for _ in 0..<50 {
            let queues = [SerialQueue(label: "left queue"), SerialQueue(label: "right queue")]
            let thrown = runCycle(queues, wait)
            #expect(thrown.count == 1, "one is refused, the other continues")
            expectReport(thrown.first, names: queues)
            queues.forEach { queue in #expect(queue.sync { 1 } == 1) }
        }
    }

    @Test func a_longer_cycle_is_reported_with_every_name() {
        for length in 3...5 {
            let queues = (1...length).map { SerialQueue(label: "number \($0) of \(length)") }
            let thrown = runCycle(queues, .syncWithin)
            #expect(thrown.count == 1)
            expectReport(thrown.first, names: queues)
        }
    }

    @Test func two_queues_that_shut_each_other_down_are_reported_by_name() {
        let queues = [SerialQueue(label: "this one"), SerialQueue(label: "that one")]
        let thrown = runCycle(queues, .shutdown)
        #expect(thrown.count == 1)
        expectReport(thrown.first, names: queues)
    }

    @Test func two_full_queues_that_wait_for_room_in_each_other_are_reported_by_name() {
        let queues = [SerialQueue(label: "full one", capacity: 1), SerialQueue(label: "full two", capacity: 1)]
        // Each queue's task waits for room in the other queue; another closure behind it takes the only room.
        let thrown = Guarded([SerialQueueError]())
        let guardian = SerialQueue(label: "guardian")
        let (go, ended) = (Gate(), [Gate(), Gate()])
        for index in 0..<2 {
            let begun = Gate()
            queues[index].async {
                begun.open()
                go.pass()
                do {
                    try Wait.room.wait(for: queues[1 - index])
                } catch {
                    guardian.sync { thrown.value.append(error as! SerialQueueError) }
                }
                ended[index].open()
            }
            begun.pass()
            #expect(queues[index].async {})
        }
        go.open()
        ended.forEach { $0.pass() }
        let errors = guardian.sync { thrown.value }
        #expect(errors.count == 1)
        expectReport(errors.first, names: queues)
    }

    @Test func a_wait_for_the_own_queue_is_reported_before_it_begins() {
        let queue = SerialQueue(label: "own queue")
        let other = SerialQueue(label: "in between")
        for wait in [Wait.syncWithin, .runAndWait] {
            let error = #expect(throws: SerialQueueError.self) {
                try queue.sync { try other.sync { try wait.wait(for: queue) } }
            }
            guard case .deadlock(let report) = error else {
                Issue.record("no deadlock: \(String(describing: error))")
                continue
            }
            #expect(report.contains("onto queue \"own queue\" from its own task"))
            #expect(report.contains("\"in between\""))
            #expect(report.contains("syncOrRun"))
        }
        #expect(queue.statistics.rejected == 2)
        #expect(queue.statistics.submitted == 2)
    }

    @Test func a_sync_that_closes_a_longer_cycle_traps_with_the_report() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let queues = ["first of three", "second of three", "third of three"].map { SerialQueue(label: $0) }
            let running = queues.map { _ in Gate() }
            for index in 0..<3 {
                queues[index].async {
                    running[index].open()
                    running.forEach { $0.pass() }
                    queues[(index + 1) % 3].sync {}
                }
            }
            queues[0].sync {}
        }
        #expect(child.said("Fatal error: SerialQueue.sync: deadlock: thread "))
        for name in ["first", "second", "third"] {
            #expect(child.said("queue \"\(name) of three\""))
        }
        #expect(child.said("always nest the queues in the same order"))
    }

    /// Nested waits in one order, with and without limits: none of them is a deadlock.
    @Test func waits_in_one_order_are_never_reported() {
        let queues = (0..<4).map { SerialQueue(label: "ordered \($0)") }
        let total = queues.map { _ in Guarded(0) }
        onThreads(4) { thread in
            for round in 0..<300 {
                let outer = (thread + round) % 3
                let inner = Int.random(in: outer + 1..<4)
                queues[outer].sync {
                    total[outer].value += 1
                    #expect(throws: Never.self) {
                        if round % 2 == 0 {
                            try queues[inner].sync(within: .seconds(3600)) { total[inner].value += 1 }
                        } else {
                            try queues[inner].runAndWait { total[inner].value += 1 }
                        }
                    }
                }
            }
        }
        #expect(queues.indices.reduce(0) { sum, index in queues[index].sync { sum + total[index].value } } == 2_400)
    }
}
