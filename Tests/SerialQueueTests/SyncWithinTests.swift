import CTestSupport
import Glibc
import SerialQueue
import Testing

@Suite struct SyncWithinTests {
    struct Unique: ~Copyable {
        let number: Int
    }

    enum Refusal: Error {
        case full
    }

    struct Carrier: Error {
        let captured: Captured
    }

    let queue = SerialQueue(label: "within")

    // MARK: The turn that does not come

    @Test func a_closure_that_timed_out_never_runs() {
        let ran = Counter()
        let holdup = Holdup { queue.async($0) }
        #expect(throws: SerialQueueError.timedOut) {
            try queue.sync(within: .milliseconds(1)) { _ = ran.increment() }
        }
        #expect(throws: SerialQueueError.timedOut) {
            try queue.runAndWait(within: .milliseconds(1)) { _ = ran.increment() }
        }
        holdup.finish()
        queue.sync {}
        #expect(ran.value == 0)
        #expect(queue.statistics.withdrawn == 2)
    }

    /// Waits of every length around the moment of the turn.
    @Test(arguments: [true, false])
    func in_a_storm_of_limits_a_closure_runs_or_its_caller_gets_an_error(_ onCallersThread: Bool) {
        let queue = SerialQueue(label: "storm")
        let (ran, timedOut, streamed) = (Guarded(0), Counter(), Guarded(0))
        let perThread = 3_000
        onThreads(5) { thread in
            if thread == 0 {
                for _ in 0..<4 * perThread {
                    queue.async { streamed.value += 1 }
                }
                return
            }
            for _ in 0..<perThread {
                let attempt = Attempt()
                let body = { ran.value += attempt.run() }
                let limit = Duration.nanoseconds(Int64.random(in: 0...20_000))
                do {
                    if onCallersThread {
                        try queue.sync(within: limit, body)
                    } else {
                        try queue.runAndWait(within: limit, body)
                    }
                    #expect(attempt.hasRun)
                } catch {
                    #expect(error as? SerialQueueError == .timedOut)
                    #expect(!attempt.hasRun)
                    timedOut.increment()
                }
                attempt.isOver = true
            }
        }
        #expect(queue.sync { ran.value } == 4 * perThread - timedOut.value)
        #expect(queue.sync { streamed.value } == 4 * perThread)
        let counts = queue.statistics
        #expect(counts.submitted == counts.ran + counts.discarded + counts.withdrawn)
        #expect(counts.withdrawn + counts.rejected == timedOut.value)
        #expect(counts.depth == 0)
    }

    @Test func the_queue_continues_past_a_slot_that_was_withdrawn() {
        let seen = Guarded([Int]())
        let holdup = Holdup { queue.async($0) }
        for number in 0..<100 {
            queue.async { seen.value.append(number) }
            #expect(throws: SerialQueueError.timedOut) {
                try queue.sync(within: .zero) { seen.value.append(-1) }
            }
            #expect(throws: SerialQueueError.timedOut) {
                try queue.runAndWait(within: .microseconds(100)) { seen.value.append(-2) }
            }
        }
        holdup.finish()
        #expect(queue.sync { seen.value } == Array(0..<100))
    }

    // MARK: The turn that comes

    @Test func sync_within_runs_after_everything_submitted_before_on_the_callers_thread() {
        let ran = Guarded(0)
        let holdup = Holdup { queue.async($0) }
        for _ in 0..<100 {
            queue.async { ran.value += 1 }
        }
        let waiter = TestThread { [queue] in
            let caller = pthread_self()
            #expect(throws: Never.self) {
                let found = try queue.sync(within: .seconds(3600)) { (ran.value, pthread_self()) }
                #expect(found == (100, caller))
            }
        }
        eventually { queue.depth == 101 }
        holdup.finish()
        waiter.join()
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(1), .seconds(1)])
    func a_free_queue_is_taken_whatever_the_limit(_ limit: Duration) throws {
        #expect(try queue.sync(within: limit) { 7 } == 7)
    }

    /// A limit of a nanosecond would end the wait for the queue's thread.
    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(60)])
    func a_free_queue_takes_a_call_with_a_limit_of_zero(_ limit: Duration) throws {
        #expect(try queue.runAndWait(within: limit) { 8 } == 8)
    }

    @Test func results_and_errors_travel() throws {
        let first = try queue.sync(within: .seconds(60)) { Unique(number: 1) }.number
        let second = try queue.runAndWait { Unique(number: 2) }.number
        #expect([first, second] == [1, 2])
        #expect(try queue.runAndWait(within: .seconds(60)) { "three" } == "three")
        #expect(throws: Refusal.full) { try queue.sync(within: .seconds(60)) { throw Refusal.full } }
        #expect(throws: Refusal.full) { try queue.runAndWait { throw Refusal.full } }
        #expect(queue.sync { 1 } == 1, "a throw must leave the queue free")
    }

    /// When runAndWait returns, its thread may still be about to leave the queue: trySync has a queue to itself.
    @Test func results_and_errors_travel_from_try_sync() {
        switch queue.trySync({ Unique(number: 4) }) {
        case .some(let unique): #expect(unique.number == 4)
        case .none: Issue.record("the queue is free")
        }
        #expect(throws: Refusal.full) { try queue.trySync { throw Refusal.full } }
        #expect(queue.trySync { 1 } == 1, "a throw must leave the queue free")
    }

    @Test func results_and_errors_are_released_with_their_last_use() throws {
        let releases = Counter()
        let tried = SerialQueue(label: "tried")
        for _ in 0..<10 {
            try queue.sync(within: .seconds(60)) { Captured(releases: releases) }.touch()
            try queue.runAndWait { Captured(releases: releases) }.touch()
            tried.trySync { Captured(releases: releases) }?.touch()
        }
        #expect(releases.value == 30)
        let body: () throws -> Void = { throw Carrier(captured: Captured(releases: releases)) }
        #expect(throws: Carrier.self) { try queue.sync(within: .seconds(60), body) }
        #expect(throws: Carrier.self) { try queue.runAndWait(body) }
        #expect(throws: Carrier.self) { try tried.trySync(body) }
        #expect(releases.value == 33)
    }

    @Test func captures_of_a_withdrawn_closure_are_released_at_once() {
        let releases = Counter()
        let holdup = Holdup { queue.async($0) }
        for expected in 1...10 {
            #expect(throws: SerialQueueError.timedOut) {
                let captured = Captured(releases: releases)
                try queue.sync(within: .microseconds(expected)) { captured.touch() }
            }
            #expect(throws: SerialQueueError.timedOut) {
                let captured = Captured(releases: releases)
                try queue.runAndWait(within: .microseconds(expected)) { captured.touch() }
            }
            #expect(releases.value == 2 * expected, "released while the queue is held up")
        }
        holdup.finish()
        queue.sync {}
        #expect(releases.value == 20, "and once")
    }

    @Test(.enabled(if: SwiftABI.isUsed, "the portable form allocates")) func a_limited_sync_of_a_free_queue_allocates_nothing() throws {
        var total = 0
        func rounds(_ count: Int) throws {
            for number in 0..<count {
                total += try queue.sync(within: .zero) { number }
                total += queue.trySync { number } ?? 0
            }
        }
        try rounds(10)
        allocation_probe_begin()
        try rounds(10_000)
        #expect(allocation_probe_end() == 0)
    }

    // MARK: trySync

    @Test func try_sync_is_nil_if_the_queue_cannot_run_it_now() throws {
        let ran = Counter()
        let attempt = { [queue] in queue.trySync { ran.increment() } }
        let holdup = Holdup { queue.async($0) }
        #expect(attempt() == nil, "busy with another thread's task")
        holdup.finish()
        queue.sync {}
        #expect(queue.sync { attempt() } == nil, "busy with the caller's own task")
        queue.suspend()
        #expect(attempt() == nil, "suspended")
        queue.resume()
        #expect(ran.value == 0)
        #expect(attempt() == 1, "free")
        try queue.shutdown()
        #expect(attempt() == nil, "shut down")
        #expect(ran.value == 1)
    }

    @Test func try_sync_distinguishes_a_nil_result_from_a_busy_queue() {
        #expect(queue.trySync { nil as Int? } == .some(nil))
        let holdup = Holdup { queue.async($0) }
        #expect(queue.trySync { nil as Int? } == .none)
        holdup.finish()
    }

    @Test func try_sync_keeps_the_type_of_an_error() {
        do throws(Refusal) {
            try queue.trySync { () throws(Refusal) in throw .full }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == .full)
        }
    }

    @Test func the_last_reference_may_go_while_a_limited_sync_runs() throws {
        let holder = Guarded<SerialQueue?>(SerialQueue(label: "going"))
        weak let handle = holder.value
        try holder.value!.sync(within: .zero) { holder.value = nil }
        #expect(handle == nil)
        holder.value = SerialQueue(label: "going")
        try holder.value!.runAndWait { holder.value = nil }
        holder.value = SerialQueue(label: "going")
        holder.value!.trySync { holder.value = nil }
        #expect(holder.value == nil)
    }
}

/// One call of the storm: fails if its closure runs after the caller has continued, or twice.
private final class Attempt: @unchecked Sendable {
    private(set) var hasRun = false
    var isOver = false

    func run() -> Int {
        #expect(!isOver && !hasRun)
        hasRun = true
        return 1
    }
}
