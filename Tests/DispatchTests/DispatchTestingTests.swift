import Dispatch
import SerialQueue
import SerialQueueDispatch
import SerialQueueDispatchTesting
import SerialQueueTesting
import Testing

@Suite struct DispatchTestingTests {
    private typealias Queue = SerialQueueDispatch.DispatchQueue

    /// What has happened, on the pool's thread.
    private final class Notes: @unchecked Sendable {
        var lines: [String] = []
    }

    @Test func queues_run_on_the_pool() {
        let pool = ManualPool(), notes = Notes()
        DispatchTesting.run(on: pool) {
            Queue(label: "serial").async { notes.lines.append("serial") }
            Queue(label: "concurrent", attributes: .concurrent).async { notes.lines.append("concurrent") }
            Queue.main.async { notes.lines.append("main") }
            Queue.global(qos: .utility).async { notes.lines.append("global") }
            #expect(notes.lines.isEmpty)
            pool.run()
            #expect(notes.lines.sorted() == ["concurrent", "global", "main", "serial"])
        }
    }

    @Test func a_queue_that_a_closure_makes_is_on_the_pool() {
        let pool = ManualPool(), notes = Notes()
        DispatchTesting.run(on: pool) {
            Queue.main.async {
                Queue(label: "inner").async {
                    Queue.global().async { notes.lines.append("innermost") }
                }
            }
        }
        // Outside: the closures themselves know the pool.
        #expect(pool.run() == 3)
        #expect(notes.lines == ["innermost"])
    }

    @Test func delays_and_timers_use_the_clock_of_the_pool() {
        let pool = ManualPool(), notes = Notes()
        DispatchTesting.run(on: pool) {
            Queue.main.asyncAfter(deadline: .now() + 3_600) { notes.lines.append("an hour") }
            let timer = SerialQueueDispatch.DispatchSource.makeTimerSource(queue: .main)
            timer.schedule(deadline: .now() + 1_000, repeating: 1_000)
            timer.setEventHandler { notes.lines.append("timer") }
            timer.resume()
            pool.advance(by: .seconds(2_000))
            #expect(notes.lines == ["timer", "timer"])
            pool.advance(by: .seconds(1_600))
            #expect(notes.lines == ["timer", "timer", "timer", "an hour"])
            timer.cancel()
            pool.run()
        }
    }

    @Test func a_suspended_target_holds_only_its_children() {
        let pool = ManualPool(), notes = Notes()
        DispatchTesting.run(on: pool) {
            let target = Queue(label: "target"), child = Queue(label: "child", target: target)
            target.suspend()
            child.async { notes.lines.append("child") }
            Queue(label: "other").async {
                notes.lines.append("other")
                target.resume()
            }
            pool.run()
            #expect(notes.lines == ["other", "child"])
        }
    }

    @Test func a_timer_of_a_suspended_queue_does_not_hold_the_clock() {
        let pool = ManualPool(), notes = Notes()
        DispatchTesting.run(on: pool) {
            let queue = Queue(label: "queue"), timer = SerialQueueDispatch.DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { notes.lines.append("fired") }
            timer.schedule(deadline: .now())
            timer.resume()
            queue.suspend()
            pool.advance(by: .seconds(1))
            notes.lines.append("advanced")
            queue.resume()
            pool.run()
            #expect(notes.lines == ["advanced", "fired"])
            timer.cancel()
            pool.run()
        }
    }

    @Test func a_closure_from_outside_is_still_in_the_test() {
        let pool = ManualPool(), notes = Notes()
        let (queue, main) = DispatchTesting.run(on: pool) { (Queue(label: "queue"), Queue.main) }
        for each in [queue, main] {
            each.async { Queue(label: "inner").async { notes.lines.append("inner") } }
            each.sync { Queue(label: "inner").async { notes.lines.append("inner") } }
        }
        #expect(notes.lines.isEmpty)
        pool.run()
        #expect(notes.lines.count == 4)
    }

    @Test func a_semaphore_runs_the_pool() {
        let pool = ManualPool()
        DispatchTesting.run(on: pool) {
            let semaphore = SerialQueueDispatch.DispatchSemaphore(value: 0)
            Queue.global().async { Queue(label: "queue").async { semaphore.signal() } }
            semaphore.wait()
            #expect(semaphore.wait(timeout: .now()) == .timedOut)
        }
    }

    @Test func a_semaphore_that_only_the_clock_signals_is_named() async {
        await #expect(processExitsWith: .failure) {
            DispatchTesting.run(on: ManualPool()) {
                let semaphore = SerialQueueDispatch.DispatchSemaphore(value: 0)
                Queue.main.asyncAfter(deadline: .now() + 1) { semaphore.signal() }
                semaphore.wait()
            }
        }
    }

    @Test func a_test_ends_with_its_queues() {
        weak var main: Queue?
        let pool = ManualPool()
        DispatchTesting.run(on: pool) {
            main = Queue.main
            Queue(label: "queue").async {}
            pool.run()
        }
        #expect(main == nil)
    }

    @Test func other_code_is_not_affected() {
        let pool = ManualPool()
        let main = DispatchTesting.run(on: pool) { Queue.main }
        #expect(main !== Queue.main)
        #expect(Queue(label: "outside").sync { true })
        DispatchTesting.run(on: pool) { #expect(Queue.main !== main) }
    }

    @Test func a_program_is_explored_completely() async throws {
        let exploration = try await exploreSchedules(200, strategy: .depthFirst) { pool in
            try DispatchTesting.run(on: pool) {
                let notes = Notes(), queue = Queue(label: "order")
                let group = SerialQueueDispatch.DispatchGroup()
                for name in ["a", "b"] { Queue(label: name).async(group: group) { queue.async(group: group) { notes.lines.append(name) } } }
                group.wait()
                try pool.require(notes.lines.sorted() == ["a", "b"])
            }
        }
        #expect(exploration.isComplete)
        #expect(exploration.schedules > 1)
    }
}
