import CTestSupport
import Glibc
import Testing

@testable import SerialQueue

@Suite struct ErrorTests {
    @Test func every_error_has_its_message() {
        #expect("\(SerialQueueError.timedOut)" == "The queue did not get to it in time.")
        #expect("\(SerialQueueError.deadlock("deadlock: thread …"))" == "deadlock: thread …")
        #expect("\(SerialQueueError.shutDown)" == "The queue has been shut down.")
        #expect("\(SerialQueueError.noResources)" == "No memory, or no thread could be started.")
        #expect("\(SerialQueueError.fromBeforeFork)".hasPrefix("The queue is from before a fork."))
    }

    @Test func errors_are_equal_by_what_they_say() {
        #expect(SerialQueueError.deadlock("a") == .deadlock("a"))
        #expect(SerialQueueError.deadlock("a") != .deadlock("b"))
        #expect(Set([SerialQueueError.timedOut, .shutDown, .timedOut]).count == 2)
    }

    @Test(arguments: [
        (ETIMEDOUT, SerialQueueError.timedOut), (EAGAIN, .timedOut), (ESHUTDOWN, .shutDown), (ESTALE, .fromBeforeFork),
        (ENOMEM, .noResources),
    ])
    func every_status_of_c_has_its_error(_ status: CInt, _ error: SerialQueueError) {
        #expect(SerialQueueError(status: status) == error)
    }

    /// Two threads' reports are their own: each call throws the report of its own thread.
    @Test func a_deadlock_carries_the_report_of_the_call_that_threw_it() {
        onThreads(4) { thread in
            let queue = SerialQueue(label: "thread \(thread)")
            for _ in 0..<200 {
                do {
                    try queue.sync { try queue.sync(within: .zero) {} }
                    Issue.record("nothing was thrown")
                } catch {
                    #expect("\(error)".contains("queue \"thread \(thread)\""))
                }
            }
        }
    }

    @Test(.enabled(if: !promisesAnyMemory(), "this system promises memory that it does not have"))
    func a_queue_whose_thread_cannot_start_says_so_and_works_on() throws {
        let queue = SerialQueue(label: "threadless", stackSize: 1 << 40)
        let (ran, releases) = (Counter(), Counter())
        #expect(throws: SerialQueueError.noResources) { try queue.runAndWait { _ = ran.increment() } }
        do {
            let captured = Captured(releases: releases)
            #expect(throws: SerialQueueError.noResources) { try queue.async(waitingUpTo: .seconds(1)) { captured.touch() } }
        }
        #expect(releases.value == 1)
        #expect(try queue.sync(within: .zero) { ran.value } == 0)
        try queue.shutdown()
    }

    @Test(.enabled(if: allocation_probe_can_fail(), "a sanitizer owns malloc"))
    func without_memory_to_wait_the_closure_never_runs() async {
        await #expect(processExitsWith: .success) {
            let queue = SerialQueue(label: "no memory")
            let ran = Counter()
            let holdup = Holdup { queue.async($0) }
            allocation_probe_fail_pages()  // the ring's first segment
            do {
                try queue.sync(within: .seconds(3600)) { _ = ran.increment() }
                preconditionFailure("it was not refused")
            } catch {
                precondition(error as? SerialQueueError == .noResources)
            }
            holdup.finish()
            precondition(queue.sync { ran.value } == 0)
        }
    }

    @Test(arguments: ["sync", "runAndWait", "async", "shutdown"])
    func a_forked_child_is_refused_by_its_parents_queue(_ verb: String) async throws {
        let child = try await #require(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [verb] in
            let queue = SerialQueue(label: "parental")
            let holdup = Holdup { queue.async($0) }
            continue_in_a_forked_child()  // where nobody runs what holds the queue up
            switch verb {
            case "sync": try! queue.sync(within: .seconds(3600)) {}
            case "runAndWait": try! queue.runAndWait {}
            case "async": try! queue.async(waitingUpTo: .seconds(3600)) {}
            default: try! queue.shutdown()
            }
            holdup.finish()
        }
        #expect(child.said("The queue is from before a fork. Make a new one in the child."))
    }
}
