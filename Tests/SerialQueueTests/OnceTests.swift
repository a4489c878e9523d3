import CTestSupport
import SerialQueue
import Testing

@Suite struct OnceTests {
    @Test func a_closure_runs_once() {
        let once = Once(), ran = Counter()
        for _ in 0..<3 { once.run { ran.increment() } }
        #expect(ran.value == 1)
    }

    /// The once is all that orders these accesses: run it under ThreadSanitizer.
    @Test func of_many_threads_one_runs_it_and_all_see_what_it_wrote() {
        for _ in 0..<(isUnderSanitizer ? 20 : 200) {
            let once = Once(), written = Guarded(0)
            onThreads(6) { _ in
                once.run { written.value += 1 }
                #expect(written.value == 1)
            }
        }
    }

    @Test func those_who_come_while_it_runs_wait_for_its_end() {
        let once = Once(), entered = Gate(), end = Gate(), ended = Guarded(false), ran = Counter()
        let runner = TestThread {
            once.run {
                entered.open()
                end.pass()
                ended.value = true
            }
        }
        entered.pass()
        let waiter = TestThread {
            once.run { ran.increment() }
            #expect(ended.value)
        }
        end.open()
        runner.join()
        waiter.join()
        #expect(ran.value == 0)
    }

    /// A borrowed closure is not copied.
    @Test(.enabled(if: SwiftABI.isUsed, "the portable form allocates")) func a_call_allocates_nothing_on_the_way_to_the_closure() {
        let once = Once()
        var ran = 0
        allocation_probe_begin()
        once.run { ran += 1 }
        once.run { ran += 1 }
        #expect(allocation_probe_end() == 0)
        #expect(ran == 1)
    }

    @Test func a_recursion_ends_the_program_with_a_message() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let once = Once()
            once.run { once.run {} }
        }
        #expect(child.said("Fatal error: Once.run: "))
        #expect(child.said("once"))
    }

    @Test func a_cycle_of_two_ends_the_program_with_a_message() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = SerialQueue(label: "com.example.cycle"), once = Once(), entered = Gate()
            queue.async {
                once.run {
                    entered.open()
                    SerialQueue(label: "between").sync { queue.sync {} }
                }
            }
            entered.pass()
            queue.sync {}
        }
        #expect(child.said("\"com.example.cycle\""))
    }
}
