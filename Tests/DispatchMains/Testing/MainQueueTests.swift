import Dispatch
import SerialQueue
import SerialQueueDispatchTesting
import SerialQueueTesting
import Testing

/// A program for Dispatch, as Moved.swift moves it. The compiler infers @MainActor for the closures of the main queue.
private final class Model: Sendable {
    @MainActor static var states: [Int] = []

    func load(_ done: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async {
            DispatchQueue.main.async {
                Self.states.append(42)
                done()
            }
        }
    }
}

/// No main thread serves these: Swift Testing has an async main function, and a test's own pool has any thread.
@Suite struct MainQueueTests {
    @Test func the_main_queue_is_the_main_actor_under_swift_testing() async {
        await withCheckedContinuation { continuation in
            Model().load { MainActor.assumeIsolated { continuation.resume() } }
        }
    }

    @Test func an_exploration_runs_closures_of_the_main_queue() async throws {
        try await exploreSchedules(20) { pool in
            try DispatchTesting.run(on: pool) {
                let done = DispatchSemaphore(value: 0)
                Model().load { done.signal() }
                done.wait()
                DispatchQueue.main.sync { dispatchPrecondition(condition: .onQueue(.main)) }
                try pool.require(DispatchQueue.main.sync { MainActor.assumeIsolated { Model.states.last } } == 42)
            }
        }
    }

    @Test func a_manual_pool_runs_closures_of_the_main_queue_on_this_thread() {
        let pool = ManualPool()
        DispatchTesting.run(on: pool) {
            nonisolated(unsafe) var ran = 0
            let timer = DispatchSource.makeTimerSource(queue: .main), child = DispatchQueue(label: "child", target: .main)
            timer.schedule(deadline: .now() + 1)
            timer.setEventHandler { MainActor.assumeIsolated { ran += 1 } }
            timer.activate()
            child.async { MainActor.assumeIsolated { ran += 1 } }
            DispatchQueue.main.asyncAfter(deadline: .now() + 2) { MainActor.assertIsolated(); ran += 1 }
            pool.advance(by: .seconds(3))
            #expect(ran == 3)
            timer.cancel()
            pool.run()
        }
    }

    /// The check for the main actor holds nowhere else.
    @Test func other_queues_of_a_test_are_not_on_the_main_actor() async {
        await #expect(processExitsWith: .failure) {
            let pool = ManualPool()
            DispatchTesting.run(on: pool) {
                DispatchQueue(label: "other").async { MainActor.assumeIsolated {} }
                pool.run()
            }
        }
    }
}
