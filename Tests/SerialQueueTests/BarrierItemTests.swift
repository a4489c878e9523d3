import SerialQueue
import Testing

/// Barriers of a concurrent queue that are work items, or come after a delay.
@Suite struct BarrierItemTests {
    let queue = ConcurrentQueue(label: "barriers", on: WorkerPool(label: "readers", threads: 3))

    /// Runs `reader` at the same time as a closure that is submitted before `submit`, and checks what they wrote.
    private func checkRunsAlone(_ submit: (@escaping @Sendable () -> Void) -> Bool) {
        let value = Guarded(0), holdup = Holdup { body in
            queue.async {
                body()
                value.value += 1
            }
        }
        #expect(submit { value.value *= 10 })
        queue.async { value.value += 2 }
        holdup.finish()
        queue.syncBarrier {}
        #expect(value.value == 12)
    }

    @Test func an_item_that_is_a_barrier_runs_alone() {
        checkRunsAlone { queue.async(WorkItem(isBarrier: true, $0)) }
        checkRunsAlone { body in queue.async(WorkItem(isBarrier: true) { _ in body() }) }
        checkRunsAlone { queue.async(in: WorkGroup(), WorkItem(isBarrier: true, $0)) }
        checkRunsAlone { queue.async(WorkItem(repeats: true, isBarrier: true, $0)) }
    }

    @Test func a_notification_that_is_a_barrier_runs_alone() {
        let item = WorkItem {}
        item.perform()
        checkRunsAlone { item.notifyBarrier(on: queue, $0) }
    }

    /// A barrier that is not due does not hold up others.
    @Test func a_barrier_after_a_delay_runs_alone_at_its_time() {
        let pool = ManualPool(), queue = ConcurrentQueue(label: "delayed", on: pool)
        let record = Record<Int>(), manual = pool
        queue.asyncBarrierAfter(.seconds(1)) { record.append(1) }
        queue.async { record.append(0) }
        pool.run()
        #expect(record.all == [0])
        pool.advance(by: .milliseconds(999))
        #expect(record.all == [0])
        manual.advance(by: .milliseconds(1))
        #expect(record.all == [0, 1])
        checkRunsAlone { self.queue.asyncBarrierAfter(.zero, $0) }
    }

    @Test func a_delayed_barrier_is_released_when_it_is_refused_or_discarded() throws {
        let releases = Counter(), queue = ConcurrentQueue(label: "delayed", on: ManualPool())
        func submit() -> Bool {
            let captured = Captured(releases: releases)
            return queue.asyncBarrierAfter(.seconds(3600)) { captured.touch() }
        }
        #expect(submit())
        #expect(releases.value == 0)
        try queue.shutdown(.drain)
        #expect(releases.value == 1)
        #expect(!submit())
        #expect(releases.value == 2)
    }
}
