import Glibc
import SerialQueue
import Testing

@Suite struct ShutdownTests {
    let queue = SerialQueue(label: "ends")
    let releases = Counter()
    let ran = Counter()

    /// Submits a closure that counts its run and the release of what it captured.
    @discardableResult
    private func submit() -> Bool {
        let captured = Captured(releases: releases)
        return queue.async { [ran] in
            captured.touch()
            ran.increment()
        }
    }

    @Test func a_drain_runs_what_was_accepted_and_returns_after_the_last() throws {
        for _ in 0..<1_000 { submit() }
        try queue.shutdown()
        #expect(ran.value == 1_000)
        #expect(releases.value == 1_000, "after a shutdown the queue must hold no closure")
        #expect(queue.statistics.discarded == 0)
    }

    @Test(arguments: [SerialQueue.ShutdownMode.drain, .discard])
    func a_queue_that_was_never_used_ends_at_once(_ mode: SerialQueue.ShutdownMode) throws {
        try queue.shutdown(mode, within: .zero)
        try queue.shutdown(mode)
    }

    @Test func nothing_is_accepted_afterwards() throws {
        try queue.shutdown(.drain, within: .seconds(60))
        #expect(!submit())
        #expect(releases.value == 1, "a refused closure must be released at once")
        #expect(throws: SerialQueueError.shutDown) { try queue.async(waitingUpTo: .seconds(60)) {} }
        #expect(throws: SerialQueueError.shutDown) { try queue.sync(within: .seconds(60)) {} }
        #expect(throws: SerialQueueError.shutDown) { try queue.runAndWait {} }
        #expect(queue.trySync {} == nil)
        #expect(ran.value == 0)
        #expect(queue.label == "ends")
        #expect(queue.statistics.rejected == 5)
    }

    /// A syncOrRun does not trap: ExecutorEndTests has it.
    @Test func a_sync_after_the_shutdown_traps() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let queue = SerialQueue(label: "closed for good")
            try queue.shutdown()
            queue.sync {}
        }
        #expect(child.said("Fatal error: SerialQueue.sync: queue \"closed for good\" has been shut down."))
    }

    @Test func a_waiting_sync_traps_when_it_is_discarded() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let queue = SerialQueue(label: "closes")
            let holdup = Holdup { queue.async($0) }
            let waiter = TestThread { queue.sync {} }
            eventually { queue.depth == 1 }
            try? queue.shutdown(.discard, within: .zero)
            holdup.finish()
            waiter.join()
        }
        #expect(child.said("SerialQueue.sync: queue \"closes\" has been shut down."))
    }

    @Test func a_discard_releases_what_waits_and_lets_what_runs_end() throws {
        let holdup = Holdup { queue.async($0) }
        for _ in 0..<100 { submit() }
        let waiter = TestThread { [queue, ran] in
            #expect(throws: SerialQueueError.shutDown) { try queue.sync(within: .seconds(3600)) { _ = ran.increment() } }
        }
        let otherWaiter = TestThread { [queue, ran] in
            #expect(throws: SerialQueueError.shutDown) { try queue.runAndWait { _ = ran.increment() } }
        }
        eventually { queue.depth == 102 }
        #expect(throws: SerialQueueError.timedOut) { try queue.shutdown(.discard, within: .milliseconds(1)) }
        #expect(!submit(), "the shutdown must continue in the background")
        holdup.finish()
        waiter.join()
        otherWaiter.join()
        try queue.shutdown(.discard)
        #expect(ran.value == 0)
        #expect(releases.value == 101)
        #expect(queue.statistics.discarded == 100)
        #expect(queue.statistics.withdrawn == 2, "the threads that waited")
        #expect(queue.statistics.ran == 1)
    }

    @Test func a_drain_that_takes_too_long_can_become_a_discard() throws {
        let holdup = Holdup { queue.async($0) }
        for _ in 0..<10 { submit() }
        #expect(throws: SerialQueueError.timedOut) { try queue.shutdown(.drain, within: .zero) }
        #expect(throws: SerialQueueError.timedOut) { try queue.shutdown(.discard, within: .seconds(-1)) }
        holdup.finish()
        try queue.shutdown(.drain)
        #expect(ran.value == 0, "a drain does not take a discard back")
        #expect(releases.value == 10)
    }

    @Test func many_may_shut_it_down_and_wait_for_its_end() {
        let holdup = Holdup { queue.async($0) }
        for _ in 0..<100 { submit() }
        let threads = (0..<4).map { _ in
            TestThread { [queue, ran] in
                #expect(throws: Never.self) { try queue.shutdown() }
                #expect(ran.value == 100)
            }
        }
        holdup.finish()
        threads.forEach { $0.join() }
        #expect(releases.value == 100)
    }

    @Test(arguments: [SerialQueue.ShutdownMode.drain, .discard])
    func what_is_submitted_during_a_shutdown_is_accepted_and_ends_or_is_refused(_ mode: SerialQueue.ShutdownMode) {
        for _ in 0..<50 {
            let queue = SerialQueue(label: "race")
            let (accepted, ran, releases) = (Counter(), Counter(), Counter())
            onThreads(3) { thread in
                if thread == 0 {
                    #expect(throws: Never.self) { try queue.shutdown(mode) }
                    return
                }
                for _ in 0..<100 {
                    let captured = Captured(releases: releases)
                    let isAccepted = queue.async {
                        captured.touch()
                        ran.increment()
                    }
                    if isAccepted { accepted.increment() }
                }
            }
            let counts = queue.statistics
            #expect(counts.ran == ran.value)
            #expect(counts.submitted == accepted.value)
            #expect(counts.ran + counts.discarded == accepted.value)
            #expect(mode == .discard || counts.discarded == 0)
            #expect(releases.value == 200)
        }
    }

    @Test func a_shutdown_in_the_queues_own_closure_starts_it_and_throws_deadlock() throws {
        let holdup = Holdup { queue.async($0) }
        let report = Guarded("")
        queue.async { [queue] in
            do throws(SerialQueueError) {
                try queue.shutdown()
            } catch {
                if case .deadlock(let sentence) = error { report.value = sentence }
            }
        }
        submit()
        holdup.finish()
        try queue.shutdown()
        #expect(ran.value == 1, "accepted before, so it ran")
        #expect(report.value.contains("shutdown of queue \"ends\" from its own task"))
        #expect(throws: SerialQueueError.shutDown) { try queue.sync(within: .zero) {} }
    }

    @Test func a_suspended_queue_drains_once_it_is_resumed() throws {
        queue.suspend()
        submit()
        #expect(throws: SerialQueueError.timedOut) { try queue.shutdown(.drain, within: .milliseconds(1)) }
        #expect(ran.value == 0)
        #expect(queue.resume())
        try queue.shutdown()
        #expect(ran.value == 1)
    }

    @Test func a_suspended_queue_is_discarded_at_once() throws {
        queue.suspend()
        submit()
        try queue.shutdown(.discard)
        #expect(ran.value == 0)
        #expect(releases.value == 1)
    }

    /// The deinit runs on the queue, outside every lock: it may do what a closure may.
    @Test func the_deinit_of_a_discarded_capture_may_use_its_queue() throws {
        let seen = Guarded([String]())
        queue.suspend()
        do {
            let captured = Captured { [queue] in
                #expect(queue.isCurrent)
                queue.syncOrRun { seen.value.append("syncOrRun") }
                let inner = Captured { seen.value.append("released") }
                seen.value.append(queue.async { inner.touch() } ? "accepted" : "refused")
            }
            queue.async { captured.touch() }
        }
        try queue.shutdown(.discard)
        #expect(seen.value == ["syncOrRun", "refused", "released"])
    }

    @Test func the_deinit_of_a_capture_may_use_its_queue_when_it_is_released_suspended() {
        let (used, released) = (Gate(), Gate())
        var queue: SerialQueue? = SerialQueue(label: "abandoned")
        queue!.suspend()
        // A function of its own: when it has returned, only the closure has the capture. In the test's body optimized code may keep it for longer.
        @inline(never) func submit(to abandoned: SerialQueue) {
            let captured = Captured {
                let queue = SerialQueue.current!
                queue.syncOrRun { #expect(queue.label == "abandoned") }
                let inner = Captured { released.open() }
                queue.async { inner.touch() }
                used.open()
            }
            abandoned.async { captured.touch() }
        }
        submit(to: queue!)
        queue = nil
        used.pass()
        released.pass()
    }

    @Test func the_thread_ends_with_the_shutdown() throws {
        let queue = SerialQueue(label: "thread ends")
        #expect(try queue.runAndWait { threadNames().contains("thread ends") }) // later it may have no thread: it idles
        try queue.shutdown()
        eventually { !threadNames().contains("thread ends") }
    }
}
