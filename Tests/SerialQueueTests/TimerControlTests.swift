import SerialQueue
import Testing

/// Timers that begin inactive, start at a time, are suspended, and have something to do after the last firing. On manual pools, so that time is
/// what the test says it is.
@Suite final class TimerControlTests {
    let pool = ManualPool(label: "time")
    let queue: SerialQueue
    let firings = Record<Int>()

    init() {
        queue = SerialQueue(label: "timed", on: pool)
    }

    deinit {
        pool.run()  // what a released timer leaves to be released
    }

    /// Notes how many intervals each firing covers.
    private func makeTimer() -> WorkQueue.Timer {
        let timer = Guarded<WorkQueue.Timer?>(nil), firings = firings
        let made = queue.makeTimer { firings.append(timer.value?.intervals ?? 0) }
        timer.value = made
        timers.append(timer)
        return made
    }

    private var timers: [Guarded<WorkQueue.Timer?>] = []

    private func releaseTimers() {
        for timer in timers { timer.value = nil }
    }

    // Starting

    @Test func a_timer_is_inactive_until_it_is_started_and_fires_once() {
        let timer = makeTimer()
        pool.advance(by: .seconds(3600))
        #expect(firings.all == [] && timer.intervals == 0)
        #expect(timer.start(after: .seconds(2)))
        pool.advance(by: .milliseconds(1999))
        #expect(firings.all == [])
        pool.advance(by: .seconds(100))
        #expect(firings.all == [1])
        #expect(timer.start(after: .zero))
        pool.run()
        #expect(firings.all == [1, 1])
        releaseTimers()
    }

    @Test func now_is_the_time_of_the_pool() {
        #expect(queue.now.offset == .zero)
        pool.advance(by: .milliseconds(1500))
        #expect(queue.now.offset == .milliseconds(1500))
        #expect(queue.now.duration(to: queue.now.advanced(by: .seconds(1))) == .seconds(1))
        #expect(queue.now < queue.now.advanced(by: .nanoseconds(1)))
    }

    @Test func now_of_other_queues_is_one_monotonic_clock() {
        let (one, other) = (SerialQueue(label: "one"), ConcurrentQueue(label: "other"))
        let times = [one.now, other.now, one.now, other.now]
        #expect(times == times.sorted() && times[0].offset > .zero)
    }

    @Test func a_timer_starts_at_a_time() {
        pool.advance(by: .seconds(10))
        let timer = makeTimer()
        #expect(timer.start(at: queue.now.advanced(by: .seconds(5)), every: .seconds(2)))
        pool.advance(by: .milliseconds(4999))
        #expect(firings.all == [])
        pool.advance(by: .milliseconds(1))
        #expect(firings.all == [1])
        pool.advance(by: .seconds(4))
        #expect(firings.all == [1, 1, 1])
        #expect(timer.start(at: queue.now.advanced(by: .seconds(1))))  // once
        pool.advance(by: .seconds(60))
        #expect(firings.all == [1, 1, 1, 1])
        timer.cancel()
        #expect(!timer.start(at: queue.now))
        releaseTimers()
    }

    @Test func a_start_in_the_past_fires_at_once_for_all_times_since_then() {
        let start = queue.now
        pool.advance(by: .milliseconds(3500))
        let timer = makeTimer()
        timer.start(at: start, every: .seconds(1))
        pool.run()
        #expect(firings.all == [4])  // at 0, 1, 2 and 3
        pool.advance(by: .milliseconds(500))
        #expect(firings.all == [4, 1])
        releaseTimers()
    }

    /// On the real clock, in a queue with a thread of its own.
    @Test func a_timer_starts_at_a_time_of_the_real_clock() {
        let queue = SerialQueue(label: "real"), fired = Gate()
        let due = queue.now.advanced(by: .milliseconds(20)), seen = Guarded<WorkQueue.Instant?>(nil)
        let timer = queue.makeTimer {
            seen.value = queue.now
            fired.open()
        }
        timer.start(at: due)
        fired.pass()
        queue.sync {}
        #expect(seen.value! >= due)
    }

    @Test func a_timer_of_a_queue_that_was_shut_down_does_nothing() throws {
        try queue.shutdown()
        let releases = Counter(), timer: WorkQueue.Timer
        do {
            let captured = Captured(releases: releases)
            timer = queue.makeTimer { captured.touch() }
        }
        #expect(releases.value == 1)
        #expect(!timer.start(after: .zero) && !timer.start(at: queue.now))
        #expect(!timer.suspend() && !timer.resume())
        let accepted = timer.cancel {}
        #expect(!accepted)
    }

    // Suspending

    @Test func what_falls_due_while_it_is_suspended_is_one_firing() {
        let timer = makeTimer()
        timer.start(after: .seconds(1), every: .seconds(1))
        pool.advance(by: .seconds(2))
        #expect(firings.all == [1, 1])
        #expect(timer.suspend() && timer.suspend())
        pool.advance(by: .seconds(3))
        #expect(timer.resume())
        pool.run()
        #expect(firings.all == [1, 1])
        #expect(timer.resume())
        pool.run()
        #expect(firings.all == [1, 1, 3])
        #expect(!timer.resume())
        pool.advance(by: .seconds(1))
        #expect(firings.all == [1, 1, 3, 1])
        releaseTimers()
    }

    @Test func a_timer_may_be_suspended_before_it_is_started_and_when_it_is_released() {
        let timer = makeTimer()
        #expect(timer.suspend())
        timer.start(after: .seconds(1))
        pool.advance(by: .seconds(5))
        #expect(firings.all == [])
        timer.resume()
        pool.run()
        #expect(firings.all == [1])
        timer.suspend()
        timer.start(after: .seconds(1))
        releaseTimers()
    }

    // After the last firing

    @Test func cancel_then_runs_in_its_turn_with_the_closure_released() {
        let releases = Counter(), order = Record<String>(), queue = queue
        let timer: WorkQueue.Timer
        do {
            let captured = Captured(releases: releases)
            timer = queue.makeTimer(every: .seconds(1)) { captured.touch() }
        }
        pool.advance(by: .seconds(1))
        queue.async { order.append("before") }
        let accepted = timer.cancel {
            #expect(queue.isCurrent)
            order.append("released: \(releases.value)")
        }
        #expect(accepted)
        #expect(!timer.start(after: .zero))
        #expect(order.all == [])
        pool.advance(by: .seconds(10))
        #expect(order.all == ["before", "released: 1"])
    }

    /// On a concurrent queue, whose closures run at the same time. The firing lets the pool run what it could run meanwhile.
    @Test func cancel_then_waits_for_the_firing_that_runs() {
        let pool = pool, queue = ConcurrentQueue(label: "fires", on: pool), releases = Counter(), order = Record<String>()
        let timer = Guarded<WorkQueue.Timer?>(nil)
        do {
            let captured = Captured(releases: releases)
            timer.value = queue.makeTimer {
                captured.touch()
                timer.value?.cancel { order.append("released: \(releases.value)") }
                pool.run()
                order.append("fired")
            }
        }
        timer.value?.start(after: .zero)
        pool.run()
        #expect(order.all == ["fired", "released: 1"])
        timer.value = nil
    }

    @Test func what_comes_after_the_last_firing_is_released_when_it_is_refused() throws {
        let releases = Counter(), timer = queue.makeTimer {}
        try queue.shutdown()
        do {
            let captured = Captured(releases: releases)
            let accepted = timer.cancel { captured.touch() }
            #expect(!accepted)
        }
        #expect(releases.value == 1)
    }
}
