import CTestSupport
import SerialQueue
import Testing

@Suite struct ConcurrentQueueTests {
    let queue = ConcurrentQueue(label: "concurrent", on: WorkerPool(label: "readers", threads: 3))
    let ran = Counter()

    @Test func a_queue_knows_its_kind_label_and_width() {
        #expect("\(queue)" == "ConcurrentQueue \"concurrent\"")
        #expect(queue.width == nil)
        #expect(ConcurrentQueue(width: 4).width == 4)
        #expect(ConcurrentQueue(width: 1).width == 1)
        #expect(ConcurrentQueue().label == "")
        #expect(queue == queue)
        #expect(queue != ConcurrentQueue(label: "concurrent"))
        #expect(Set([queue, queue]).count == 1)
        #expect((queue as WorkQueue) != SerialQueue(label: "concurrent"))
    }

    @Test func the_current_queue_is_of_one_kind() {
        let serial = SerialQueue(label: "serial")
        #expect(ConcurrentQueue.current == nil)
        queue.sync {
            #expect(ConcurrentQueue.current == queue)
            #expect(SerialQueue.current == nil)
            #expect(queue.isCurrent)
            queue.preconditionIsCurrent()
            serial.sync {
                #expect(ConcurrentQueue.current == nil)
                #expect(SerialQueue.current == serial)
                #expect(queue.isCurrent)
            }
        }
        #expect(queue.syncBarrier { ConcurrentQueue.current } == queue)
        #expect(!queue.isCurrent)
    }

    @Test func the_global_queue_is_one_queue_on_the_shared_pool() async throws {
        #expect(ConcurrentQueue.global() === ConcurrentQueue.global())
        #expect(try await ConcurrentQueue.global().run { ConcurrentQueue.current } == ConcurrentQueue.global())
        #expect(ConcurrentQueue.global().width == nil)
    }

    /// The third closure opens what the first two wait for.
    @Test func width_bounds_the_async_closures() {
        let wide = ConcurrentQueue(width: 3, on: WorkerPool(threads: 4)), gate = Gate()
        for _ in 0..<2 { wide.async { gate.pass() } }
        wide.async { gate.open() }
        wide.syncBarrier {}

        let narrow = ConcurrentQueue(width: 2, on: WorkerPool(threads: 4)), overlap = Overlap()
        for _ in 0..<500 { narrow.async { overlap.visit() } }
        narrow.syncBarrier {}
        #expect(overlap.most <= 2)
    }

    // Nesting

    /// GCD hangs in the second.
    @Test func a_sync_in_a_reader_runs_at_once_whatever_waits() throws {
        for round in 0..<3 {
            let queue = ConcurrentQueue(label: "nested"), inside = Gate(), go = Gate(), seen = Guarded(0)
            let reader = TestThread {
                queue.sync {
                    inside.open()
                    go.pass()
                    seen.value = queue.sync { 1 }
                    seen.value += (try? queue.sync(within: .zero) { 1 }) ?? 0
                    seen.value += queue.trySync { 1 } ?? 0
                    seen.value += queue.syncOrRun { 1 }
                    seen.value += (try? queue.asyncAndWait { 1 }) ?? 0
                }
            }
            inside.pass()
            switch round {
            case 0: queue.asyncBarrier {}
            case 1: queue.suspend()
            default: #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .drain) }
            }
            go.open()
            reader.join()
            #expect(seen.value == 5)
            queue.resume()
        }
    }

    @Test func an_upgrade_is_refused_every_time() {
        queue.sync {
            let error = #expect(throws: SerialQueueError.self) { try queue.syncBarrier(within: .seconds(600)) {} }
            #expect(error?.isDeadlock(naming: "concurrent") == true)
            #expect(throws: SerialQueueError.self) { try queue.syncBarrier(within: .zero) {} }
        }
        #expect(queue.syncBarrier { 1 } == 1)
    }

    @Test func a_barrier_refuses_every_wait_for_its_queue_except_sync_or_run() {
        queue.syncBarrier {
            for error in [
                #expect(throws: SerialQueueError.self) { try queue.sync(within: .seconds(600)) {} },
                #expect(throws: SerialQueueError.self) { try queue.syncBarrier(within: .seconds(600)) {} },
                #expect(throws: SerialQueueError.self) { try queue.asyncAndWait {} },
                #expect(throws: SerialQueueError.self) { try queue.runAndWait {} },
            ] {
                #expect(error?.isDeadlock(naming: "concurrent") == true)
            }
            #expect(queue.trySync {} == nil)
            #expect(queue.syncOrRun { 7 } == 7)
        }
    }

    @Test func a_cycle_over_a_serial_queue_is_refused() {
        let serial = SerialQueue(label: "serial"), reads = Gate(), holds = Gate(), refusal = Guarded<SerialQueueError?>(nil)
        let reader = TestThread { [queue] in
            queue.sync {
                reads.open()
                holds.pass()
                do { try serial.sync(within: .seconds(3_600)) {} } catch { refusal.value = error as? SerialQueueError }
            }
        }
        serial.sync {
            holds.open()
            reads.pass()
            queue.syncBarrier {}  // without a limit: the other wait is refused, whichever comes first
        }
        reader.join()
        #expect(refusal.value?.isDeadlock(naming: "serial") == true)
        #expect(refusal.value?.isDeadlock(naming: "concurrent") == true)
    }

    // Limits

    @Test func a_barrier_whose_limit_passes_never_runs_and_holds_up_nobody() {
        let holdup = Holdup { queue.async($0) }
        #expect(throws: SerialQueueError.timedOut) { try queue.syncBarrier(within: .milliseconds(1)) { ran.increment() } }
        #expect(throws: SerialQueueError.timedOut) { try queue.syncBarrier(within: .zero) { ran.increment() } }
        #expect(queue.sync { 1 } == 1, "nothing may wait for a barrier that was withdrawn")
        holdup.finish()
        queue.syncBarrier {}
        #expect(ran.value == 0)
        // On a loaded machine the first one's limit may pass before it is in the queue.
        #expect(queue.statistics.withdrawn + queue.statistics.rejected == 2)
        #expect(throws: CancellationError.self) { try queue.syncBarrier(within: .zero) { throw CancellationError() } }
    }

    @Test func barriers_take_room_and_are_refused_without() {
        let queue = ConcurrentQueue(label: "bounded", width: 2, capacity: 1)
        let holdup = Holdup { queue.async($0) }
        let releases = Counter()
        let isAccepted = queue.asyncBarrier { [ran] in ran.increment() }
        #expect(isAccepted)
        do {
            let captured = Captured(releases: releases)
            let isAccepted = queue.asyncBarrier { captured.touch() }
            #expect(!isAccepted)
        }
        #expect(releases.value == 1)
        #expect(throws: SerialQueueError.timedOut) { try queue.async(waitingUpTo: .zero) {} }
        holdup.finish()
        queue.syncBarrier {}
        #expect(ran.value == 1)
        #expect(queue.statistics.rejected == 2)
    }

    // The calls that both kinds share

    @Test func items_groups_notifications_and_timers_work_on_it() throws {
        let pool = ManualPool(), queue = ConcurrentQueue(label: "shared calls", on: pool), group = WorkGroup()
        let record = Record<String>()
        let item = WorkItem { record.append("item") }, late = WorkItem { record.append("late") }
        let timer = queue.makeTimer(every: .seconds(1)) { record.append("timer") }
        queue.async(item)
        queue.asyncAfter(.seconds(2), late)
        queue.asyncAfter(.milliseconds(1_500)) { record.append("after") }
        queue.async(in: group) { record.append("member") }
        group.notify(on: queue) { record.append("end of the group") }
        item.notify(on: queue) { record.append("end of the item") }
        pool.run()
        #expect(record.all == ["item", "member", "end of the item", "end of the group"])
        pool.advance(by: .seconds(2))
        timer.cancel()
        let later = Array(record.all.dropFirst(4))
        #expect(later.prefix(2) == ["timer", "after"])
        #expect(later.suffix(2).sorted() == ["late", "timer"])
        try queue.shutdown()
        #expect(!queue.async {})
        #expect(!queue.asyncBarrier {})
        #expect(queue.syncOrRun { 3 } == 3, "late, but in order")
        pool.run()
    }

    @Test func a_notification_that_is_a_barrier_runs_alone() throws {
        let pool = ManualPool(), queue = ConcurrentQueue(label: "notified", on: pool), group = WorkGroup(), ran = ran
        let accepted = group.notifyBarrier(on: queue) { [unowned queue] in
            if (try? queue.sync(within: .zero) {}) == nil { ran.increment() }  // in a closure that is no barrier it runs
        }
        #expect(accepted)
        pool.run()
        #expect(ran.value == 1)
        try queue.shutdown()
        let late = group.notifyBarrier(on: queue) {}
        #expect(!late)
    }

    @Test func suspend_watch_drain_and_statistics_work_on_it() async throws {
        let reported = Gate(), label = Guarded("")
        #expect(queue.suspend())
        queue.async { [ran] in ran.increment() }
        queue.onStall(after: .milliseconds(1)) { stall in
            label.value = stall.label
            reported.open()
        }
        reported.pass()
        queue.stopWatching()
        #expect(label.value == "concurrent")
        #expect(ran.value == 0)
        #expect(queue.depth == 1)
        #expect(queue.resume())
        await queue.drain()
        queue.syncBarrier {}
        #expect(ran.value == 1)
        #expect(queue.statistics.ran == 3, "the closure, the drain and the barrier")
        try await queue.shutdown()
        #expect(throws: SerialQueueError.shutDown) { try queue.syncBarrier(within: .zero) {} }
    }

    @Test func drain_waits_for_every_closure_submitted_before() async {
        let holdup = Holdup { queue.async($0) }, other = Holdup { queue.async($0) }
        let drained = Gate()
        let task = Task { [queue, ran] in
            await queue.drain()
            #expect(ran.value == 2)
            drained.open()
        }
        queue.async { [ran] in ran.increment() }
        ran.increment()
        holdup.finish()
        other.finish()
        await task.value
    }

    // Costs

    @Test(.enabled(if: SwiftABI.isUsed, "the portable form allocates")) func barriers_and_readers_allocate_nothing() {
        var total = 0
        func rounds(_ count: Int) {
            for number in 0..<count {
                total += queue.sync { number }
                total += queue.syncBarrier { number }
                total += queue.sync { queue.sync { number } }
            }
        }
        rounds(200)
        allocation_probe_begin()
        rounds(1_000)
        #expect(allocation_probe_end() == 0)
        allocation_probe_begin()
        for _ in 0..<1_000 { queue.asyncBarrier {} }  // captures nothing: no context
        #expect(allocation_probe_end() < 100, "the ring grows while they wait, but none has a box")
        queue.syncBarrier {}
    }
}

extension SerialQueueError {
    func isDeadlock(naming label: String) -> Bool {
        if case .deadlock(let report) = self { report.contains("\"\(label)\"") } else { false }
    }
}
