import CTestSupport
import SerialQueue
import Testing

@Suite struct AsyncTests {
    @Test func true_means_that_a_closure_was_accepted() {
        let queue = SerialQueue()
        let ran = Guarded(false)
        #expect(queue.async { ran.value = true })
        #expect(queue.sync { ran.value })
    }

    /// No machine has the memory for such a stack, so the thread cannot be started.
    @Test(.enabled(if: !promisesAnyMemory(), "this system promises memory that it does not have"))
    func a_refused_closure_is_released_and_never_runs() {
        let queue = SerialQueue(label: "refuses", stackSize: 1 << 40)
        let releases = Counter()
        let ran = Counter()
        do {
            let captured = Captured(releases: releases)
            #expect(
                !queue.async {
                    captured.touch()
                    ran.increment()
                })
        }
        #expect(releases.value == 1)
        #expect(queue.sync { ran.value } == 0, "the queue must still run a sync")
        #expect(queue.statistics.rejected == 1)
    }

    @Test func captures_are_released_exactly_once_in_any_crowd() {
        let queue = SerialQueue()
        let releases = Counter()
        onThreads(4) { _ in
            for _ in 0..<1_000 {
                let captured = Captured(releases: releases)
                queue.async { captured.touch() }
            }
        }
        queue.sync {}
        #expect(releases.value == 4_000)
    }

    /// A value that is not Sendable may be handed over, as the compiler sees that nobody else keeps it.
    @Test func a_closure_may_take_a_value_along() {
        final class Parcel { var content = "" }
        let queue = SerialQueue()
        let received = Guarded("")
        let parcel = Parcel()
        parcel.content = "from the caller"
        queue.async { received.value = parcel.content }
        #expect(queue.sync { received.value } == "from the caller")
    }

    @Test func a_released_capture_may_use_the_queue_it_is_released_on() {
        let queue = SerialQueue()
        let seen = Guarded([String]())
        let holdup = Holdup { queue.async($0) }
        do {
            let captured = Captured {
                queue.syncOrRun { seen.value.append("syncOrRun in deinit") }
                queue.async { seen.value.append("async in deinit") }
            }
            queue.async {
                captured.touch()
                seen.value.append("task")
            }
        }
        holdup.finish()  // From here on the task alone holds the capture.
        queue.sync {}
        #expect(queue.sync { seen.value } == ["task", "syncOrRun in deinit", "async in deinit"])
    }

    @Test func the_handle_may_be_captured_last_by_its_own_closure() {
        weak var handle: SerialQueue?
        let done = Gate()
        let holdup: Holdup
        do {
            let queue = SerialQueue(label: "in itself")
            handle = queue
            holdup = Holdup { queue.async($0) }
            queue.async { withExtendedLifetime(queue) {} }
            queue.async { done.open() }
        }
        #expect(handle != nil)
        holdup.finish()
        done.pass()
        #expect(handle == nil)
    }

    /// That is the context, which the compiler makes for two captures, and no box of ours. The ring may add a segment now and then.
    @Test(.enabled(if: SwiftABI.isUsed, "the portable form allocates")) func async_allocates_the_closures_context_alone() {
        let queue = SerialQueue()
        let captured = Captured {}, counter = Counter()
        for _ in 0..<10 {
            queue.async { captured.touch() }
            queue.sync {}
        }
        allocation_probe_begin()
        for _ in 0..<1_000 {
            queue.async {
                captured.touch()
                counter.increment()
            }
            queue.sync {}
        }
        let count = allocation_probe_end()
        #expect(count >= 1_000, "the probe must see the contexts")
        #expect(count <= 1_000 + 50)
    }

    @Test(.enabled(if: allocation_probe_can_fail(), "a sanitizer owns malloc"))
    func a_closure_is_refused_without_memory_for_its_place() async {
        await #expect(processExitsWith: .success) {
            let queue = SerialQueue(label: "no memory")
            let releases = Counter()
            let ran = Counter()
            let holdup = Holdup { queue.async($0) }
            let body: @Sendable () -> Void = {
                let captured = Captured(releases: releases)
                return {
                    captured.touch()
                    ran.increment()
                }
            }()
            allocation_probe_fail_pages()  // the ring's first segment
            let refused = !queue.async(body)
            precondition(refused)
            precondition(queue.async(body))
            holdup.finish()
            precondition(queue.sync { ran.value } == 1)
            precondition(releases.value == 0, "this test still holds the closure")
            precondition(queue.statistics.rejected == 1)
        }
    }
}
