// CaptureTests.swift: what a closure captured is released once, whatever becomes of it. This file has the ends that the other files
// leave out; the files about `async`, `sync`, `run`, `submit`, FIFOQueue and ActorQueue have theirs.

import SerialQueue
import SerialQueueOrdered
import Testing

/// On manual pools, so that nothing happens between two lines.
@Suite struct CaptureTests {
    let pool = ManualPool()
    let releases = Counter(), ran = Counter()

    private func queue() -> SerialQueue {
        SerialQueue(label: "captures", on: pool)
    }

    private func body() -> @Sendable () -> Void {
        let captured = Captured(releases: releases)
        return { [ran] in
            captured.touch()
            ran.increment()
        }
    }

    @Test func a_delayed_closure_is_released_when_it_has_run() {
        let queue = queue()
        queue.asyncAfter(.seconds(1), body())
        queue.async { [releases] in #expect(releases.value == 0) }
        pool.advance(by: .seconds(1))
        #expect(ran.value == 1)
        #expect(releases.value == 1)
    }

    @Test(arguments: [SerialQueue.ShutdownMode.drain, .discard])
    func delayed_closures_are_released_by_a_shutdown(_ mode: SerialQueue.ShutdownMode) throws {
        let queue = queue()
        for second in 1...10 { queue.asyncAfter(.seconds(second), body()) }
        queue.suspend()
        pool.advance(by: .seconds(5))
        #expect(queue.depth == 5)
        queue.resume()
        try queue.shutdown(mode)
        #expect(releases.value == 10)
        #expect(ran.value == (mode == .drain ? 5 : 0))
        #expect(!queue.asyncAfter(.zero, body()))
        #expect(releases.value == 11)
    }

    /// The delayed closures keep the queue. When they are due, the queue is suspended, and nothing can resume it any more.
    @Test func delayed_closures_are_released_when_their_suspended_queue_dies() {
        do {
            let queue = queue()
            for second in 1...10 { queue.asyncAfter(.seconds(second), body()) }
            queue.suspend()
        }
        pool.advance(by: .seconds(10))
        #expect(releases.value == 10)
        #expect(ran.value == 0)
    }

    @Test(arguments: [SerialQueue.ShutdownMode.drain, .discard])
    func a_timers_closure_is_released_by_a_shutdown(_ mode: SerialQueue.ShutdownMode) throws {
        let queue = queue()
        let timer = queue.makeTimer(every: .seconds(1), body())
        pool.advance(by: .seconds(3))
        try queue.shutdown(mode)
        #expect(ran.value == 3)
        #expect(releases.value == 1)
        #expect(!timer.start(after: .zero))
    }

    /// The closure cannot be called any more, although its firing is in the queue already.
    @Test func a_timer_that_is_released_while_its_firing_waits_releases_at_once() {
        let queue = queue()
        do {
            let timer = queue.makeTimer(every: .seconds(1), body())
            queue.suspend()
            pool.advance(by: .seconds(1))
            #expect(queue.depth == 1)
            withExtendedLifetime(timer) {}
        }
        #expect(releases.value == 1)
        queue.resume()
        pool.advance(by: .seconds(5))
        #expect(ran.value == 0)
    }

    @Test func a_timer_that_releases_itself_releases_its_closure_after_its_firing() {
        let timer = Guarded<SerialQueue.Timer?>(nil)
        timer.value = queue().makeTimer(every: .seconds(1)) { [body = body(), releases] in
            timer.value = nil
            body()
            #expect(releases.value == 0, "it runs")
        }
        pool.advance(by: .seconds(5))
        #expect(ran.value == 1)
        #expect(releases.value == 1)
    }

    @Test func a_timer_that_is_cancelled_in_its_firing_releases_after_it() {
        let timer = Guarded<SerialQueue.Timer?>(nil)
        timer.value = queue().makeTimer(every: .seconds(1)) { [body = body(), releases] in
            timer.value?.cancel()
            body()
            #expect(releases.value == 0, "it runs")
        }
        pool.advance(by: .seconds(5))
        #expect(ran.value == 1)
        #expect(releases.value == 1)
        #expect(timer.value?.start(after: .zero) == false)
        timer.value = nil
        pool.run()  // the end of the timer
    }

    @Test func a_submitted_closure_is_released_when_its_suspended_queue_dies() async throws {
        do {
            let queue = SerialQueue(label: "dies")
            queue.suspend()
            try await queue.submit(body())
            #expect(releases.value == 0)
        }
        await comesTrue { releases.value == 1 }
        #expect(ran.value == 0)
    }

    /// The caller keeps the queue, so only its cancellation ends the wait.
    @Test func a_run_on_a_suspended_queue_that_only_its_caller_knows_ends_when_it_is_cancelled() async {
        let began = Counter()
        let task = Task { [body = body()] in
            let queue = SerialQueue(label: "known to one")
            queue.suspend()
            began.increment()
            try await queue.run { body() }
        }
        await comesTrue { began.value == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await comesTrue { releases.value == 1 }
        #expect(ran.value == 0)
    }
}

@Suite(.timeLimit(.minutes(15))) struct OrderedCaptureTests {
    private actor Somebody {
        nonisolated let queue = ActorQueue<Somebody>()
        init() { queue.adoptExecutionContext(of: self) }
    }

    @Test func closures_for_the_main_actor_are_released_on_run_throw_and_cancel() async {
        let releases = Counter(), queue = MainActorQueue.shared
        for round in 1...100 {
            queue.enqueue { [captured = Captured(releases: releases)] in captured.touch() }
            _ = try? await queue.enqueueAndWait { [captured = Captured(releases: releases)] () async throws(Refusal) in
                captured.touch()
                throw Refusal.no
            }
            let cancelled = Task(on: queue) { [captured = Captured(releases: releases)] in
                captured.touch()
                try await Task.sleep(for: .seconds(3_600))
            }
            cancelled.cancel()
            await queue.drain()
            #expect(releases.value == 3 * round)
        }
    }

    /// Both closures are released: the user's, and the one that calls it on its actor.
    @Test func closures_on_an_actor_are_released_when_their_caller_continues() async throws {
        let releases = Counter(), somebody = Somebody(), fifo = FIFOQueue()
        for round in 1...100 {
            fifo.enqueue(on: somebody) { [captured = Captured(releases: releases)] _ in captured.touch() }
            await fifo.enqueueAndWait(on: somebody) { [captured = Captured(releases: releases)] _ in captured.touch() }
            #expect(releases.value == 3 * round - 1)
            await somebody.queue.enqueueAndWait { [captured = Captured(releases: releases)] _ in captured.touch() }
            #expect(releases.value == 3 * round)
        }
    }

    @Test func closures_whose_queue_and_actor_nobody_knows_any_more_run_and_are_released() async {
        let releases = Counter(), done = AsyncGate()
        do {
            let somebody = Somebody(), fifo = FIFOQueue(on: SerialQueue(label: "unknown"))
            for _ in 0..<100 {
                somebody.queue.enqueue { [captured = Captured(releases: releases)] _ in captured.touch() }
                fifo.enqueue(on: somebody) { [captured = Captured(releases: releases)] _ in captured.touch() }
            }
            fifo.enqueue(on: somebody) { somebody in somebody.queue.enqueue { _ in done.open() } }
        }
        await done.pass()
        await comesTrue { releases.value == 200 }
    }
}
