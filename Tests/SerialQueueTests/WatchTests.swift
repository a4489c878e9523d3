import CTestSupport
import Glibc
import SerialQueue
import Testing

/// The watcher has its own time, so these tests wait for its reports, never for a length of time.
@Suite struct WatchTests {
    let queue = SerialQueue(label: "watched")
    /// Longer than a thread usually takes to begin: what waits for that thread longer is reported, too, and first.
    let threshold = Duration.milliseconds(100)

    // MARK: What is reported

    @Test func a_closure_that_runs_too_long_is_reported() throws {
        let witness = Witness()
        let thread = Guarded(UInt(0))
        #expect(queue.onStall(after: threshold, witness.note))
        let holdup = Holdup { block in
            queue.async {
                thread.value = id_of_this_thread()
                block()
            }
        }
        queue.async {}
        queue.async {}
        let stall = try witness.awaitRunning().stall
        #expect(stall.label == "watched")
        #expect(stall.duration >= threshold)
        #expect(stall.depth <= 2, "two closures were submitted, some perhaps after the report")
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

    @Test func a_stall_says_which_function_submitted_the_running_closure() throws {
        let witness = Witness()
        queue.onStall(after: threshold, witness.note)
        queue.async { _ = try? witness.awaitRunning() }
        queue.sync {}
        let stall = try #require(witness.seen.last { $0.kind == .running })
        let site = try #require(stall.submittedFrom)
        #expect(site.contains("a_stall_says_which_function_submitted_the_running_closure"), "\(site)")
        #expect("\(stall)".contains("a task, submitted from \(site), has been running"))
    }

    /// A thread that waits is known to wait when it goes to sleep, a moment after it has taken its place: a report in
    /// between does not name the other queue yet, and the next one has to.
    @Test func queues_that_are_made_later_are_watched_by_one_handler() {
        let label = "made later \(UInt64.random(in: 0 ... .max))", reported = Semaphore(value: 0), leave = Semaphore(value: 0)
        #expect(WorkQueue.onStallOfAny(after: .milliseconds(2)) { stall in
            if stall.label == label, stall.kind == .running { reported.signal() }
        })
        let queue = SerialQueue(label: label)
        WorkQueue.stopWatchingAll()
        queue.async { leave.wait() }
        reported.wait()
        leave.signal()
        queue.sync {}
    }

    @Test func a_closure_that_waits_for_another_queue_says_for_which() {
        let witness = Witness()
        let blocker = SerialQueue(label: "blocker")
        queue.letTheThreadBegin()
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

    @Test func a_closure_that_waits_for_a_semaphore_without_a_label_says_which_function_made_it() {
        let witness = Witness()
        let gate = makeGate()
        queue.letTheThreadBegin()
        queue.onStall(after: threshold, witness.note)
        for incident in 1...10 {
            queue.async { gate.wait() }
            let stall = witness.await(incident)[incident - 1]
            gate.signal()
            queue.sync {}
            guard stall.kind == .running, let waitsFor = stall.waitsFor else { continue }
            #expect(waitsFor.hasPrefix("made by SerialQueueTests.(makeGate in _"), "\(waitsFor)")
            return
        }
        Issue.record("ten stalls, and none of them said what was waited for")
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

    /// The watch begins when the hold-up runs already, so all that it can see is what waits.
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

    @Test func a_stall_is_reported_once_and_the_next_one_again() throws {
        let witness = Witness()
        queue.letTheThreadBegin()
        queue.onStall(after: threshold, witness.note)
        var incidents = 0
        for _ in 1...100 where incidents < 3 {
            let before = witness.seen.count
            let holdup = Holdup { queue.async($0) }
            queue.async {}
            let isInTime = witness.seen.count == before  // not on a machine so busy that what waits came after the report
            let reports = try witness.awaitRunning(after: before).number
            SerialQueue.letTheWatcherLook(threshold)
            if isInTime {
                #expect(witness.seen.count == reports, "what waits behind it is the same incident")
                incidents += 1
            }
            holdup.finish()
            queue.sync {}
        }
        #expect(incidents == 3)
    }

    @Test func a_queue_that_makes_progress_is_not_reported() {
        let witness = Witness()
        queue.onStall(after: .seconds(3600), witness.note)
        for _ in 0..<1_000 {
            queue.async {}
            queue.sync {}
        }
        SerialQueue.letTheWatcherLook(threshold)
        #expect(witness.seen.isEmpty)
        queue.stopWatching()
    }

    // MARK: Thresholds

    @Test(arguments: [Duration.nanoseconds(1), .nanoseconds(0.5), .seconds(Int64.max), .seconds(Int64.max) * 8])
    func a_threshold_may_be_as_small_and_as_large_as_you_like(_ threshold: Duration) {
        let witness = Witness()
        #expect(queue.onStall(after: threshold, witness.note))
        if threshold < .seconds(1) {
            queue.sync { _ = witness.await(1) }
        } else {
            queue.sync { SerialQueue.letTheWatcherLook(self.threshold) }
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

@inline(never) private func makeGate() -> SerialQueue.Semaphore { SerialQueue.Semaphore(value: 0) }
