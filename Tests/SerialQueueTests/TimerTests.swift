import SerialQueue
import Testing

/// On manual pools, so that time is what the test says it is.
@Suite final class TimerTests {
    let pool = ManualPool(label: "time")
    let queue: SerialQueue

    init() {
        queue = SerialQueue(label: "timed", on: pool)
    }

    deinit {
        pool.run()  // what a released timer leaves to be released
    }

    @Test func async_after_waits_for_its_time() {
        let record = Record<Int>()
        queue.asyncAfter(.seconds(2)) { record.append(2) }
        queue.asyncAfter(.seconds(1)) { record.append(1) }
        pool.advance(by: .milliseconds(999))
        #expect(record.all == [])
        #expect(pool.advance(by: .milliseconds(1)) == 1)
        #expect(record.all == [1])
        pool.advance(by: .seconds(3600))
        #expect(record.all == [1, 2])
    }

    @Test func equal_times_keep_their_order() {
        let record = Record<Int>()
        for number in 0..<100 {
            queue.asyncAfter(.seconds(1)) { record.append(number) }
        }
        pool.advance(by: .seconds(1))
        #expect(record.all == Array(0..<100))
    }

    @Test func no_delay_is_due_at_once() {
        let record = Record<Int>()
        queue.asyncAfter(.zero) { record.append(1) }
        #expect(record.all == [])
        pool.run()
        #expect(record.all == [1])
    }

    @Test func an_async_after_keeps_its_queue() {
        let record = Record<Int>()
        SerialQueue(label: "dropped", on: pool).asyncAfter(.seconds(1)) { record.append(1) }
        pool.advance(by: .seconds(1))
        #expect(record.all == [1])
    }

    @Test func a_shutdown_releases_what_is_not_due() throws {
        let releases = Counter()
        do {
            let captured = Captured(releases: releases)
            queue.asyncAfter(.seconds(3600)) { captured.touch() }
        }
        #expect(releases.value == 0)
        try queue.shutdown(.drain)
        #expect(releases.value == 1)
        #expect(queue.asyncAfter(.zero) {} == false)
    }

    @Test func a_timer_fires_every_interval() {
        let firings = Counter()
        let timer = queue.makeTimer(every: .seconds(1)) { firings.increment() }
        pool.advance(by: .milliseconds(3500))
        #expect(firings.value == 3)
        timer.cancel()
        pool.advance(by: .seconds(10))
        #expect(firings.value == 3)
    }

    /// An hour of timers of many periods. Those due at the same second fire in the order in which they were started.
    @Test func an_hour_of_timers_is_in_order() {
        let record = Record<Int>()
        let periods = Array(1...20), hour = 3600
        let timers = periods.map { period in
            queue.makeTimer(every: .seconds(period)) { record.append(period) }
        }
        pool.advance(by: .seconds(hour))
        let expected = (1...hour).flatMap { second in periods.filter { second.isMultiple(of: $0) } }
        let isInOrder = record.all == expected  // apart: the macro would print twelve thousand numbers
        #expect(isInOrder)
        withExtendedLifetime(timers) {}
    }

    @Test func cancel_releases_the_closure_at_once() {
        let releases = Counter()
        let timer: SerialQueue.Timer
        do {
            let captured = Captured(releases: releases)
            timer = queue.makeTimer(every: .seconds(1)) { captured.touch() }
        }
        pool.advance(by: .seconds(2))
        #expect(releases.value == 0)
        timer.cancel()
        #expect(releases.value == 1)
        #expect(timer.start(after: .zero) == false)
    }

    @Test func releasing_a_timer_cancels_it() {
        let firings = Counter()
        let releases = Counter()
        do {
            let captured = Captured(releases: releases)
            _ = queue.makeTimer(every: .seconds(1)) {
                captured.touch()
                firings.increment()
            }
        }
        #expect(releases.value == 1)
        pool.advance(by: .seconds(2))
        #expect(firings.value == 0)
    }

    @Test func a_timer_is_started_anew_in_its_own_closure() {
        let firings = Record<Int>()
        let timer = Guarded<SerialQueue.Timer?>(nil)
        timer.value = queue.makeTimer(every: .seconds(1)) {
            firings.append(firings.all.count)
            timer.value?.start(after: .seconds(10))
        }
        pool.advance(by: .seconds(35))  // at 1, 11, 21 and 31
        #expect(firings.all == [0, 1, 2, 3])
        timer.value = nil
    }

    @Test func cancel_and_wait_from_the_timers_own_closure_is_a_deadlock() {
        let errors = Record<SerialQueueError>()
        let timer = Guarded<SerialQueue.Timer?>(nil)
        timer.value = queue.makeTimer(every: .seconds(1)) {
            do throws(SerialQueueError) {
                try timer.value?.cancelAndWait()
            } catch {
                errors.append(error)
            }
        }
        pool.advance(by: .seconds(5))
        #expect(errors.all.count == 1)
        if case .deadlock(let report)? = errors.all.first {
            #expect(report.contains("timed"))
        } else {
            Issue.record("not a deadlock: \(errors.all)")
        }
        timer.value = nil
    }

    /// Wherever in a `start` the `cancel` falls, the timer does not fire any more.
    @Test func a_start_that_meets_a_cancel_does_not_outlive_it() {
        let other = SerialQueue(label: "starts")
        var firings = 0
        for _ in 0..<(isUnderSanitizer ? 200 : 1_000) {
            let timer = queue.makeTimer(every: .seconds(1)) {}
            let began = Gate()
            other.async {
                began.open()
                while timer.start(after: .seconds(1), every: .seconds(1)) {}
            }
            began.pass()
            timer.cancel()
            other.sync {}
            pool.run()  // what the timer before this one has left
            firings += pool.advance(by: .seconds(2))
            withExtendedLifetime(timer) {}
        }
        #expect(firings == 0)
    }

    /// On the real clock: the closure of a timer on a queue with a thread of its own.
    @Test func cancel_and_wait_sees_the_last_firing() throws {
        let queue = SerialQueue(label: "real")
        let firings = Guarded(0)
        let gate = Gate()
        let timer = queue.makeTimer(every: .milliseconds(1)) {
            firings.value += 1
            if firings.value == 3 { gate.open() }
        }
        gate.pass()
        try timer.cancelAndWait()
        let seen = firings.value
        queue.sync {}
        #expect(firings.value == seen)
        #expect(seen >= 3)
    }

    @Test func an_interval_of_nothing_is_refused() async {
        await #expect(processExitsWith: .failure) {
            _ = SerialQueue(label: "eager").makeTimer(every: .zero) {}
        }
    }
}
