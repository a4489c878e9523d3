import CTestSupport
import Glibc
import SerialQueue
import Testing

/// The watcher has its own time, so these tests wait for what it tells, and never for a while.
@Suite struct WatchTests {
    let queue = SerialQueue(label: "watched")
    /// Longer than a thread takes to begin on a busy machine: what waits for it would be told of first.
    let threshold = Duration.milliseconds(100)

    /// Collects what a handler is told. Its own lock is a queue: the handler runs on a thread of the library's.
    final class Witness: Sendable {
        private let queue = SerialQueue(label: "witness")
        private let stalls = Guarded([SerialQueue.Stall]())

        var seen: [SerialQueue.Stall] { queue.sync { stalls.value } }

        @Sendable func note(_ stall: SerialQueue.Stall) {
            queue.sync { stalls.value.append(stall) }
        }

        /// The first `count` that were told, when they are there.
        func await(_ count: Int, _ location: SourceLocation = #_sourceLocation) -> [SerialQueue.Stall] {
            eventually(location) { seen.count >= count }
            return seen
        }
    }

    /// Returns when the watcher has looked at every queue for several thresholds more: by stalling another one.
    private func letTheWatcherLook() {
        let other = SerialQueue(label: "other")
        let witness = Witness()
        #expect(other.onStall(after: threshold * 2, witness.note))
        for incident in 1...2 {
            let holdup = Holdup { other.async($0) }
            _ = witness.await(incident)
            holdup.finish()
        }
        other.stopWatching()
    }

    /// So that the next task need not wait for a thread to be made.
    private func letTheThreadBegin() {
        queue.async {}
        queue.sync {}
    }

    // MARK: What is told

    @Test func a_closure_that_runs_too_long_is_reported() throws {
        let witness = Witness()
        let thread = Guarded(UInt(0))
        queue.async { thread.value = id_of_this_thread() }
        queue.sync {}
        #expect(queue.onStall(after: threshold, witness.note))
        let holdup = Holdup { queue.async($0) }
        queue.async {}
        queue.async {}
        let stall = try #require(witness.await(1).first)
        #expect(stall.kind == .running)
        #expect(stall.label == "watched")
        #expect(stall.duration >= threshold)
        #expect(stall.depth <= 2, "they may have come later")
        #expect(!stall.isSuspended)
        #expect(stall.threadID == UInt64(thread.value))
        #expect(stall.waitsFor == nil)
        holdup.finish()
    }

    @Test func a_sync_that_runs_too_long_is_reported_with_its_callers_thread() throws {
        let witness = Witness()
        queue.onStall(after: threshold, witness.note)
        queue.sync { _ = witness.await(1) }
        let stall = try #require(witness.seen.first)
        #expect(stall.kind == .running)
        #expect(stall.threadID == UInt64(id_of_this_thread()))
    }

    /// A thread that waits is known to wait when it goes to sleep, a moment after it has taken its place: an incident that is
    /// told in between does not name the other queue yet, and the next one has to.
    @Test func a_closure_that_waits_for_another_queue_says_for_which() {
        let witness = Witness()
        let blocker = SerialQueue(label: "blocker")
        letTheThreadBegin()
        queue.onStall(after: threshold, witness.note)
        for incident in 1...10 {
            let holdup = Holdup { blocker.async($0) }
            queue.async { blocker.sync {} }
            let stall = witness.await(incident)[incident - 1]
            holdup.finish()
            queue.sync {}
            if stall.kind == .running && stall.waitsFor == "blocker" { return }
        }
        Issue.record("ten stalls, and none of them named the queue that was waited for")
    }

    @Test func a_forgotten_resume_is_reported() throws {
        let witness = Witness()
        queue.onStall(after: threshold, witness.note)
        queue.suspend()
        queue.async {}
        let stall = try #require(witness.await(1).first)
        #expect(stall.kind == .waiting)
        #expect(stall.isSuspended)
        #expect(stall.depth == 1)
        #expect(stall.duration > .zero)
        #expect(stall.threadID == nil)
        queue.resume()
        queue.sync {}
    }

    /// The watch begins when the hold-up runs already, so all that it can see is who waits.
    @Test func a_closure_that_waits_too_long_is_reported() throws {
        let witness = Witness()
        let holdup = Holdup { queue.async($0) }
        queue.onStall(after: threshold, witness.note)
        queue.async {}
        let stall = try #require(witness.await(1).first)
        #expect(stall.kind == .waiting)
        #expect(!stall.isSuspended)
        #expect(stall.depth == 1)
        holdup.finish()
    }

    // MARK: How often

    /// To see it fail: return true for a task that was told of already (`runs_too_long`, watch_thread.c).
    @Test func a_stall_is_reported_once_and_the_next_one_again() {
        let witness = Witness()
        letTheThreadBegin()
        queue.onStall(after: threshold, witness.note)
        for incident in 1...3 {
            let holdup = Holdup { queue.async($0) }
            queue.async {}
            #expect(witness.await(incident).count == incident)
            letTheWatcherLook()
            #expect(witness.seen.count == incident, "what waits behind it is the same incident")
            holdup.finish()
            queue.sync {}
        }
    }

    @Test func a_queue_that_makes_progress_is_not_reported() {
        let witness = Witness()
        queue.onStall(after: .seconds(3600), witness.note)
        for _ in 0..<1_000 {
            queue.async {}
            queue.sync {}
        }
        letTheWatcherLook()
        #expect(witness.seen.isEmpty)
        queue.stopWatching()
    }

    // MARK: Whose handler

    @Test func a_handler_is_released_when_another_takes_its_place() {
        let (releases, witness) = (Counter(), Witness())
        letTheThreadBegin()
        for expected in 0..<10 {
            let captured = Captured(releases: releases)
            queue.onStall(after: .seconds(3600)) { _ in captured.touch() }
            #expect(releases.value == expected)
        }
        queue.onStall(after: threshold, witness.note)
        #expect(releases.value == 10)
        let holdup = Holdup { queue.async($0) }
        #expect(witness.await(1).count == 1, "the new one is told")
        holdup.finish()
    }

    @Test func a_stopped_handler_is_released_and_not_called_again() {
        let (releases, told) = (Counter(), Counter())
        do {
            let captured = Captured(releases: releases)
            queue.onStall(after: threshold) { _ in
                captured.touch()
                told.increment()
            }
        }
        queue.stopWatching()
        #expect(releases.value == 1)
        queue.stopWatching()
        let holdup = Holdup { queue.async($0) }
        letTheWatcherLook()
        #expect(told.value == 0)
        holdup.finish()
        #expect(releases.value == 1)
    }

    @Test func stopping_what_was_never_begun_does_nothing() {
        queue.stopWatching()
        #expect(queue.sync { 1 } == 1)
    }

    @Test func a_handler_is_released_with_its_queue() {
        let releases = Counter()
        var idle: SerialQueue? = SerialQueue(label: "idle")
        var used: SerialQueue? = SerialQueue(label: "used")
        var suspended: SerialQueue? = SerialQueue(label: "suspended")
        for queue in [idle!, used!, suspended!] {
            let captured = Captured(releases: releases)
            queue.onStall(after: .seconds(3600)) { _ in captured.touch() }
        }
        used!.async {}
        suspended!.suspend()
        suspended!.async {}
        #expect(releases.value == 0)
        idle = nil
        eventually { releases.value == 1 }
        used = nil
        suspended = nil
        eventually { releases.value == 3 }
    }

    /// To see it fail: let `take` return a watcher that is being called (watch.c; under AddressSanitizer).
    @Test func a_handler_may_stop_and_replace_itself() {
        let (releases, first, second) = (Counter(), Counter(), Witness())
        let (stopped, replaced) = (Gate(), Gate())
        letTheThreadBegin()
        do {
            let captured = Captured(releases: releases)
            queue.onStall(after: threshold) { [queue] _ in
                queue.stopWatching()
                #expect(releases.value == 0, "it still runs")
                captured.touch()
                stopped.open()
            }
        }
        let holdup = Holdup { queue.async($0) }
        stopped.pass()
        eventually { releases.value == 1 }
        holdup.finish()
        do {
            let captured = Captured(releases: releases)
            queue.onStall(after: threshold) { [queue, threshold] _ in
                captured.touch()
                first.increment()
                queue.onStall(after: threshold, second.note)
                replaced.open()
            }
        }
        let next = Holdup { queue.async($0) }
        replaced.pass()
        eventually { releases.value == 2 }
        next.finish()
        let last = Holdup { queue.async($0) }
        eventually { second.seen.contains { $0.kind == .running } }
        last.finish()
        #expect(first.value == 1)
    }

    @Test func a_handler_that_holds_its_queue_releases_it_when_it_is_stopped() {
        weak var handle: SerialQueue?
        do {
            let queue = SerialQueue(label: "held by its handler")
            handle = queue
            queue.onStall(after: .seconds(3600)) { _ in queue.resume() }
        }
        #expect(handle != nil)
        handle?.stopWatching()
        #expect(handle == nil)
    }

    @Test func the_last_reference_may_go_in_a_handler() {
        let holder = Guarded<SerialQueue?>(SerialQueue(label: "goes in a handler"))
        let (releases, gone) = (Counter(), Gate())
        do {
            let captured = Captured(releases: releases)
            holder.value!.onStall(after: threshold) { _ in
                captured.touch()
                holder.value = nil
                gone.open()
            }
        }
        holder.value!.suspend()
        holder.value!.async {}
        gone.pass()
        eventually { releases.value == 1 }
    }

    @Test func handlers_come_and_go_in_a_crowd() {
        let (made, releases) = (Counter(), Counter())
        onThreads(4) { [queue] thread in
            for round in 0..<200 {
                if (thread + round) % 3 == 0 {
                    queue.stopWatching()
                } else {
                    made.increment()
                    let captured = Captured(releases: releases)
                    queue.onStall(after: .nanoseconds(1)) { _ in captured.touch() }
                }
                queue.async { sched_yield() }
            }
        }
        queue.stopWatching()
        eventually { releases.value == made.value }
    }

    // MARK: Thresholds

    @Test(arguments: [Duration.nanoseconds(1), .nanoseconds(0.5), .seconds(Int64.max), .seconds(Int64.max) * 8])
    func a_threshold_may_be_as_small_and_as_large_as_you_like(_ threshold: Duration) {
        let witness = Witness()
        #expect(queue.onStall(after: threshold, witness.note))
        if threshold < .seconds(1) {
            queue.sync { _ = witness.await(1) }
        } else {
            queue.sync { letTheWatcherLook() }
            #expect(witness.seen.isEmpty)
        }
    }

    @Test(arguments: [0, -1])
    func a_threshold_that_is_not_positive_traps(_ seconds: Int) async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [seconds] in
            SerialQueue(label: "impatient").onStall(after: .seconds(seconds)) { _ in }
        }
        #expect(child.said("SerialQueue.onStall: queue \"impatient\" cannot stall after"))
    }

    @Test(.enabled(if: allocation_probe_can_fail(), "a sanitizer owns malloc"))
    func without_memory_the_handler_is_released_and_nothing_done() {
        let releases = Counter()
        let handler: @Sendable (SerialQueue.Stall) -> Void = {
            let captured = Captured(releases: releases)
            return { _ in captured.touch() }
        }()
        allocation_probe_fail(50)  // what C keeps; the handler's box is smaller
        let isRefused = !queue.onStall(after: threshold, handler)
        #expect(isRefused)
        #expect(releases.value == 0, "this test still holds the handler")
        _ = consume handler
        #expect(releases.value == 1)
    }
}
