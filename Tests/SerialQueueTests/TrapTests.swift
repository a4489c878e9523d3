// TrapTests.swift: each misuse ends the program with a sentence. A child process commits it.

import CTestSupport
import Glibc
import Testing

@testable import SerialQueue

@Suite struct TrapTests {
    @Test func sync_onto_the_own_queue_names_the_queue_and_what_to_use() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let queue = SerialQueue(label: "com.example.own")
            queue.sync { queue.sync {} }
        }
        #expect(child.said("Fatal error: SerialQueue.sync: "))
        #expect(child.said("\"com.example.own\""))
        #expect(child.said("syncOrRun"))
        #expect(child.said("async"))
    }

    @Test func sync_onto_the_own_queue_traps_in_an_async_too() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let queue = SerialQueue(label: "com.example.async")
            queue.async { queue.sync {} }
            queue.sync {}
        }
        #expect(child.said("\"com.example.async\""))
    }

    @Test func sync_onto_the_own_queue_traps_through_another() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (outer, inner) = (SerialQueue(label: "outer queue"), SerialQueue(label: "inner queue"))
            outer.sync { inner.sync { outer.sync {} } }
        }
        #expect(child.said("\"outer queue\""))
        #expect(child.said("\"inner queue\""))
    }

    @Test func sync_in_a_deinit_on_the_queue_traps() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let queue = SerialQueue(label: "com.example.deinit")
            let holdup = Holdup { queue.async($0) }
            do {
                let captured = Captured { queue.sync {} }
                queue.async { captured.touch() }
            }
            holdup.finish()  // From here on the task alone holds the capture.
            queue.sync {}
        }
        #expect(child.said("\"com.example.deinit\""))
    }

    @Test func precondition_is_current_names_both_queues_and_the_caller() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (expected, actual) = (SerialQueue(label: "expected"), SerialQueue(label: "actual"))
            actual.sync { expected.preconditionIsCurrent("the table belongs to it") }
        }
        #expect(child.said("TrapTests.swift:"))
        #expect(child.said("queue \"expected\", but runs on queue \"actual\": the table belongs to it"))
    }

    @Test func precondition_is_current_traps_off_every_queue() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            SerialQueue(label: "expected").preconditionIsCurrent()
        }
        #expect(child.said("queue \"expected\", but runs on no queue"))
    }

    @Test(arguments: [-1, 0, 1, Int.max])
    func a_stack_that_no_thread_can_have_traps(_ size: Int) async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [size] in
            _ = SerialQueue(label: "tiny", stackSize: size)
        }
        #expect(child.said("SerialQueue \"tiny\": a thread's stack of \(size) bytes is too small"))
    }

    @Test(.enabled(if: allocation_probe_can_fail(), "a sanitizer owns malloc"))
    func a_queue_without_memory_traps() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = SerialQueue(label: "first")  // what the runtime sets up once has its memory
            allocation_probe_fail(100)  // the queue; the label's C string is smaller
            _ = SerialQueue(label: "starved")
        }
        #expect(child.said("SerialQueue \"starved\": no memory for a queue"))
    }

    @Test(.enabled(if: allocation_probe_can_fail(), "a sanitizer owns malloc"))
    func a_sync_without_memory_for_its_place_traps() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let queue = SerialQueue(label: "starved")
            SerialQueue().sync {}  // so that Swift has its own allocations for a sync behind it
            let holdup = Holdup { queue.async($0) }
            allocation_probe_fail_pages()  // the ring's first segment
            queue.sync {}
            holdup.finish()
        }
        #expect(child.said("SerialQueue.sync: no memory to wait for a turn on queue \"starved\""))
    }

    @Test func a_sync_in_a_forked_child_onto_its_parents_queue_traps() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let queue = SerialQueue(label: "parental")
            let holdup = Holdup { queue.async($0) }
            continue_in_a_forked_child()  // where nobody runs what holds the queue up
            if queue.async({}) { holdup.finish() } else { queue.sync {} }
        }
        #expect(child.said("queue \"parental\" is from before a fork"))
    }

    /// The last one stands for a code that no call returns. The others also have tests in which a sync traps.
    @Test func every_refusal_has_its_message() {
        let queue = SerialQueue(label: "refuses")
        #expect(queue.reason(for: ENOMEM) == "no memory to wait for a turn on queue \"refuses\".")
        #expect(queue.reason(for: ESTALE).hasPrefix("queue \"refuses\" is from before a fork."))
        #expect(queue.reason(for: ESHUTDOWN) == "queue \"refuses\" has been shut down.")
        #expect(queue.reason(for: EPERM) == "queue \"refuses\" refused, error 1.")
    }

    @Test func a_cycle_over_two_queues_names_both() async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (left, right) = (SerialQueue(label: "left queue"), SerialQueue(label: "right queue"))
            let (leftRuns, rightRuns) = (Gate(), Gate())
            left.async {
                leftRuns.open()
                rightRuns.pass()
                right.sync {}
            }
            right.async {
                rightRuns.open()
                leftRuns.pass()
                left.sync {}
            }
            left.sync {}
        }
        #expect(child.said("Fatal error: SerialQueue.sync: "))
        #expect(child.said("\"left queue\""))
        #expect(child.said("\"right queue\""))
    }
}

extension ExitTest.Result {
    func said(_ words: String) -> Bool {
        String(decoding: standardErrorContent, as: UTF8.self).contains(words)
    }
}
