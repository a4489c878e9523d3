import CTestSupport
import SerialQueue
import Testing

@Suite struct CapacityTests {
    let queue = SerialQueue(label: "bounded", capacity: 2)
    let releases = Counter()
    let ran = Counter()

    private func makeBody() -> @Sendable () -> Void {
        let captured = Captured(releases: releases)
        return { [ran] in
            captured.touch()
            ran.increment()
        }
    }

    /// What waits counts, what runs does not.
    private func fill() -> Holdup {
        let holdup = Holdup { queue.async($0) }
        #expect(queue.async(makeBody()))
        #expect(queue.async(makeBody()))
        return holdup
    }

    @Test func a_full_queue_refuses_and_releases_at_once() {
        let holdup = fill()
        #expect(!queue.async(makeBody()))
        #expect(releases.value == 1)
        #expect(queue.statistics.rejected == 1)
        holdup.finish()
        queue.sync {}
        #expect(queue.async(makeBody()), "there is room again")
        queue.sync {}
        #expect(ran.value == 3)
        #expect(releases.value == 4)
    }

    @Test func async_within_waits_for_room() {
        let holdup = fill()
        let submitters = (0..<3).map { _ in
            TestThread { [queue, ran] in
                #expect(throws: Never.self) { try queue.async(waitingUpTo: .seconds(3600)) { ran.increment() } }
            }
        }
        holdup.finish()
        submitters.forEach { $0.join() }
        queue.sync {}
        #expect(ran.value == 5)
    }

    @Test(arguments: [Duration.milliseconds(1), .zero, .seconds(-1), .nanoseconds(1)])
    func a_closure_that_found_no_room_in_time_is_released_and_never_runs(_ limit: Duration) {
        let holdup = fill()
        #expect(throws: SerialQueueError.timedOut) { try queue.async(waitingUpTo: limit, makeBody()) }
        #expect(releases.value == 1)
        holdup.finish()
        queue.sync {}
        #expect(ran.value == 2)
        #expect(releases.value == 3)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(1)])
    func where_there_is_room_the_limit_does_not_matter(_ limit: Duration) throws {
        try queue.async(waitingUpTo: limit, makeBody())
        let unbounded = SerialQueue(label: "unbounded")
        let holdup = Holdup { unbounded.async($0) }
        for _ in 0..<100 {
            try unbounded.async(waitingUpTo: limit) { [ran] in ran.increment() }
        }
        holdup.finish()
        unbounded.sync {}
        queue.sync {}
        #expect(ran.value == 101)
    }

    @Test func waiting_for_room_in_the_own_full_queue_is_a_deadlock() {
        let report = Guarded("")
        let full = Gate()
        let body = makeBody()
        queue.async { [queue] in
            full.pass()
            do throws(SerialQueueError) {
                try queue.async(waitingUpTo: .seconds(3600), body)
            } catch {
                if case .deadlock(let sentence) = error { report.value = sentence }
            }
        }
        eventually { queue.depth == 0 }  // It has begun.
        #expect(queue.async {})
        #expect(queue.async {})
        full.open()
        #expect(queue.sync { report.value }.contains("waiting for room in queue \"bounded\" from its own task"))
        #expect(ran.value == 0)
    }

    @Test func sync_needs_no_room() throws {
        let holdup = fill()
        let waiters = (0..<4).map { kind in
            TestThread { [queue, ran] in
                if kind % 2 == 0 { return queue.sync { _ = ran.increment() } }
                #expect(throws: Never.self) { try queue.runAndWait { _ = ran.increment() } }
            }
        }
        eventually { queue.depth == 6 }
        holdup.finish()
        waiters.forEach { $0.join() }
        #expect(ran.value == 6)
    }

    @Test func a_shutdown_refuses_those_who_wait_for_room() throws {
        let holdup = fill()
        let submitter = TestThread { [queue, ran] in
            #expect(throws: SerialQueueError.shutDown) {
                try queue.async(waitingUpTo: .seconds(3600)) { ran.increment() }
            }
        }
        #expect(throws: SerialQueueError.timedOut) { try queue.shutdown(.drain, within: .milliseconds(1)) }
        submitter.join()
        holdup.finish()
        try queue.shutdown()
        #expect(ran.value == 2)
        #expect(releases.value == 2)
    }

    /// All callers want the same little room, some with a short limit.
    @Test func in_a_storm_every_closure_runs_or_is_refused_and_all_are_released() {
        let (accepted, ran, releases) = (Counter(), Counter(), Counter())
        let queue = SerialQueue(label: "crowded", capacity: 3)
        onThreads(4) { thread in
            for number in 0..<2_000 {
                let captured = Captured(releases: releases)
                let body: @Sendable () -> Void = {
                    captured.touch()
                    ran.increment()
                }
                if number % 4 == 0 {
                    if queue.async(body) { accepted.increment() }
                } else {
                    let limit = thread == 0 ? Duration.seconds(3600) : .nanoseconds(Int64.random(in: 0...20_000))
                    do throws(SerialQueueError) {
                        try queue.async(waitingUpTo: limit, body)
                        accepted.increment()
                    } catch {
                        #expect(error == .timedOut)
                    }
                }
            }
        }
        queue.sync {}
        #expect(ran.value == accepted.value)
        #expect(releases.value == 8_000)
        #expect(queue.statistics.rejected == 8_000 - accepted.value)
    }

    @Test(arguments: [0, -1, Int.min])
    func a_capacity_for_nothing_traps(_ capacity: Int) async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [capacity] in
            _ = SerialQueue(label: "narrow", capacity: capacity)
        }
        #expect(child.said("SerialQueue \"narrow\": a capacity of \(capacity) leaves room for nothing."))
    }

    @Test func a_capacity_may_be_as_large_as_you_like() {
        let queue = SerialQueue(capacity: .max)
        #expect(queue.async {})
        #expect(queue.sync { 1 } == 1)
    }
}
