import Foundation
import SerialQueue
import Testing

@testable import SerialQueueTesting

/// What is not under control, and tests that do not end.
@Suite struct EscapeTests {
    @Test func a_real_clock_is_reported_by_name() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules { _ in try await Task.sleep(for: .milliseconds(1)) }
        }
        #expect(failure?.escapes.count == 1)
        #expect(failure?.description.contains("body was resumed by Swift's own threads: by Task.sleep on a real clock") == true)
        #expect(failure?.description.contains("pool.clock") == true)
    }

    /// Other tests may use all of Swift's own threads, for longer than a pool is patient.
    @Test func a_real_clock_is_reported_although_all_threads_compute() async throws {
        let outside = SerialQueue(label: "outside")
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules { _ in
                outside.async {
                    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                        Task.detached {
                            let end = ContinuousClock.now + .milliseconds(2 * Pump.patience)
                            while ContinuousClock.now < end {}
                        }
                    }
                }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        #expect(failure?.escapes.count == 1)
    }

    @Test func a_foreign_thread_is_reported_by_name() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules { _ in
                let queue = SerialQueue(label: "not-on-pool")
                try await queue.run {}
                await queue.drain()
            }
        }
        #expect(failure?.escapes.contains { $0.contains("a thread outside of the pool, \"not-on-pool\"") } == true)
    }

    /// A new thread has the name of the one that started it.
    @Test func a_thread_that_the_test_has_started_is_not_reported_under_our_own_threads_name() async throws {
        let explored = try await exploreSchedules(100, allowsEscapes: true) { _ in
            await withCheckedContinuation { continuation in Thread.detachNewThread { continuation.resume() } }
        }
        #expect(explored.escapes == ["body was resumed by a thread outside of the pool, which the test has started."])
    }

    @Test func the_main_actor_is_reported_by_name() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules { _ in try await Self.wait() }
        }
        #expect(failure?.escapes.contains { $0.contains("MainActor") } == true)
    }

    /// Slowly enough that its caller waits.
    @MainActor private static func wait() async throws {
        try await Task.sleep(for: .milliseconds(1))
    }

    /// A thread outside may have found the run just before it ended.
    @Test func a_job_that_comes_after_the_end_of_its_run_runs_elsewhere() async {
        final class Late: TaskExecutor {
            let run: Run
            init(_ run: Run) { self.run = run }
            func enqueue(_ job: consuming ExecutorJob) {
                run.enqueue(runtimeObject(of: UnownedJob(job)), isHome: true)
            }
        }
        let pool = ManualPool(), run = Run(on: pool)
        run.end()
        let task = Task(executorPreference: Late(run)) { true }
        #expect(pool.run() == 0)
        #expect(await task.value)
    }

    @Test func escapes_can_be_allowed() async throws {
        let explored = try await exploreSchedules(3, allowsEscapes: true) { _ in try await Task.sleep(for: .milliseconds(1)) }
        #expect(explored.schedules == 3)
        #expect(explored.escapes.count == 1)
    }

    @Test func a_failure_under_foreign_influence_names_it() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules { pool in
                try await Task.sleep(for: .milliseconds(1))
                try pool.require(false, "always")
            }
        }
        #expect(failure?.message.hasSuffix("always") == true)
        #expect(failure?.description.contains("Task.sleep on a real clock") == true)
    }

    @Test func a_test_that_waits_forever_says_who_waits_for_what() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules { _ in
                let stuck = Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
                await stuck.value
            }
        }
        #expect(failure?.message.contains("something outside the pool") == true)
        #expect(failure?.description.contains("body waits for task 1") == true)
        #expect(failure?.description.contains("task 1 waits for a continuation") == true)
    }

    /// A busy machine may need longer than 10,000 looks to see that nothing comes: then the test was said to have no end.
    @Test func a_wait_for_something_outside_takes_no_steps() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules(steps: 100) { _ in await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        }
        #expect(failure?.message.contains("something outside the pool") == true)
        #expect(failure?.description.contains("body waits for a continuation") == true)
        let explored = try await exploreSchedules(1, steps: 100, allowsEscapes: true) { _ in try await Task.sleep(for: .milliseconds(500)) }
        #expect(explored.escapes.count == 1)
    }

    @Test func a_schedule_without_end_is_a_failure() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules { _ in
                while !Task.isCancelled { await Task.yield() }
            }
        }
        #expect(failure?.message.contains("no end: more than 10000 steps") == true)
    }

    @Test func cancelling_the_caller_ends_the_exploration() async throws {
        let started = AsyncStream<Void>.makeStream(), isCancelled = DispatchSemaphore(value: 0)
        let task = Task {
            // The first schedule waits: a thousand of them may have ended before this thread cancels.
            try await exploreSchedules { _ in
                started.continuation.yield()
                isCancelled.wait()
                isCancelled.signal()
            }
        }
        for await _ in started.stream { break }
        task.cancel()
        isCancelled.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func explorations_do_not_nest() async throws {
        let failure = await #expect(throws: ExplorationFailure.self) {
            try await exploreSchedules { _ in try await exploreSchedules { _ in } }
        }
        #expect(failure?.message.contains("don't nest") == true)
    }
}
