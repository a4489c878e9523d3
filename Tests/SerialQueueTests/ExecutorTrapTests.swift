import CTestSupport
import Glibc
import Testing

@testable import SerialQueue

@Suite struct ExecutorTrapTests {
    /// Swift's runtime asks `isIsolatingCurrentContext`, and has messages of its own.
    @Test func assuming_the_isolation_elsewhere_names_the_type_of_the_actor() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = Store(SerialQueue(label: "com.example.store"))
            SerialQueue(label: "com.example.other").sync { assumed(store, 1) }
        }
        #expect(child.said("Incorrect actor executor assumption; Expected same executor as"))
        #expect(child.said("Store"))
    }

    @Test func a_precondition_of_isolation_that_fails_has_the_programs_text() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let store = Store(SerialQueue(label: "com.example.store"))
            SerialQueue(label: "com.example.other").sync { store.preconditionIsolated("a text of the program") }
        }
        #expect(child.said("Incorrect actor executor assumption"))
        #expect(child.said("a text of the program"))
    }

    @Test func check_isolated_names_the_queue_and_where_the_caller_is() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let queue = SerialQueue(label: "com.example.store")
            SerialQueue(label: "com.example.other").sync { queue.checkIsolated() }
        }
        #expect(child.said("queue \"com.example.store\", but runs on queue \"com.example.other\""))
    }

    /// The runtime asks before it runs what it took for isolated.
    @Test func a_late_job_of_another_queue_is_elsewhere_too() async throws {
        let (queue, other) = (SerialQueue(label: "ended"), SerialQueue(label: "other"))
        let store = Store(queue)
        try await queue.shutdown()
        try await other.shutdown()
        await store.perform { store in
            #expect(other.isIsolatingCurrentContext() == false)
            #expect(store.queue.isIsolatingCurrentContext() == true)
        }
    }

    @Test(.enabled(if: allocation_probe_can_fail(), "a sanitizer owns malloc"))
    func a_job_without_memory_for_its_place_traps() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (here, there) = (Store(SerialQueue(label: "here")), Store(SerialQueue(label: "starved")))
            let holdup = Holdup { there.queue.async($0) }
            await here.perform { _ in
                allocation_probe_fail_pages()  // the ring's first segment
                await there.add(1)
            }
            holdup.finish()
        }
        #expect(child.said("SerialQueue: a task's job is lost: queue \"starved\" has no memory for it, or its thread could not be started."))
    }

    @Test(.enabled(if: !promisesAnyMemory(), "this system promises memory that it does not have"))
    func a_job_whose_thread_cannot_be_started_traps() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await Store(SerialQueue(label: "no thread", stackSize: 1 << 40)).add(1)
        }
        #expect(child.said("SerialQueue: a task's job is lost: queue \"no thread\" has no memory for it, or its thread could not be started."))
    }

    @Test(.enabled(if: !promisesAnyMemory(), "this system promises memory that it does not have"))
    func a_drain_without_a_thread_traps() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await SerialQueue(label: "no thread", stackSize: 1 << 40).drain()
        }
        #expect(child.said("SerialQueue.drain: queue \"no thread\" has no memory for it, or its thread could not be started."))
    }

    /// Only a fork leads to the last two, and in its child Swift's own threads do not exist either: so no test can enqueue such a job.
    @Test func every_refusal_of_a_job_has_its_message() {
        let queue = SerialQueue(label: "refuses")
        #expect(queue.jobReason(for: ENOMEM).hasPrefix("queue \"refuses\" has no memory for it, or its thread could not be started."))
        #expect(queue.jobReason(for: ESTALE).hasPrefix("queue \"refuses\" is from before a fork."))
        #expect(queue.jobReason(for: ESHUTDOWN) == "queue \"refuses\" has been shut down.")
    }
}
