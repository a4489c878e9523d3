import Dispatch
import Glibc
import SerialQueue
import SerialQueueDispatch
import SerialQueueDispatchTesting
import SerialQueueTesting
import Synchronization
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

    @Test func data_that_is_added_before_the_handler_runs_is_one_event() {
        typealias Source = SerialQueueDispatch.DispatchSource
        let pool = ManualPool(), notes = Notes()
        DispatchTesting.run(on: pool) {
            let queue = Queue(label: "queue")
            let add = Source.makeUserDataAddSource(queue: queue), or = Source.makeUserDataOrSource(queue: queue)
            let replace = Source.makeUserDataReplaceSource(queue: queue)
            add.setEventHandler { notes.lines.append("added \(add.data)") }
            or.setEventHandler { notes.lines.append("bits \(or.data)") }
            replace.setEventHandler { notes.lines.append("replaced by \(replace.data)") }
            func give(_ data: UInt) {
                add.add(data: data)
                or.or(data: data)
                replace.replace(data: data)
            }
            give(1)  // before they begin
            for source in [add, or, replace] as [any SerialQueueDispatch.DispatchSourceProtocol] { source.activate() }
            give(2)
            for source in [add, or, replace] as [any SerialQueueDispatch.DispatchSourceProtocol] { source.suspend() }
            give(6)
            pool.run()
            #expect(notes.lines.isEmpty)
            for source in [add, or, replace] as [any SerialQueueDispatch.DispatchSourceProtocol] { source.resume() }
            pool.run()
            #expect(notes.lines.sorted() == ["added 9", "bits 7", "replaced by 6"])
            give(0)
            replace.replace(data: 8)
            replace.replace(data: 0)
            pool.run()
            #expect(notes.lines.count == 3)
            give(5)
            add.cancel()
            pool.run()
            #expect(notes.lines.sorted() == ["added 9", "bits 5", "bits 7", "replaced by 5", "replaced by 6"])
            or.cancel()
            replace.cancel()
            pool.run()
        }
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

    @Test func a_deadline_of_the_clock_of_the_pool_does_not_move() {
        let pool = ManualPool(), notes = Notes()
        DispatchTesting.run(on: pool) {
            let deadline = dispatchNow() + .milliseconds(1_500)
            pool.advance(by: .seconds(1))
            Queue.main.asyncAfter(deadline: deadline) { notes.lines.append("due") }
            let timer = SerialQueueDispatch.DispatchSource.makeTimerSource(queue: .main)
            timer.schedule(deadline: deadline)
            timer.setEventHandler { notes.lines.append("timer") }
            timer.resume()
            pool.advance(by: .milliseconds(499))
            #expect(notes.lines == [])
            pool.advance(by: .milliseconds(1))
            #expect(notes.lines == ["due", "timer"])
            Queue.main.asyncAfter(deadline: dispatchNow() - 1) { notes.lines.append("overdue") }
            pool.run()
            #expect(notes.lines.last == "overdue")
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

    /// The core does not know who leaves.
    @Test func a_wait_for_a_group_that_was_entered_runs_the_pool() throws {
        let pool = ManualPool()
        try DispatchTesting.run(on: pool) {
            let group = SerialQueueDispatch.DispatchGroup()
            for _ in 0..<2 {
                group.enter()
                Queue.global().async { Queue(label: "queue").async { group.leave() } }
                try #require(group.wait(timeout: .now()) == .success)
            }
            group.enter()
            Queue.main.async { group.leave() }
            group.wait()
        }
    }

    @Test func a_wait_that_is_over_does_not_run_the_pool() {
        let pool = ManualPool(), notes = Notes()
        DispatchTesting.run(on: pool) {
            let group = SerialQueueDispatch.DispatchGroup(), item = SerialQueueDispatch.DispatchWorkItem {}
            Queue.main.async { notes.lines.append("main") }
            item.perform()
            item.wait()
            group.wait()
            #expect(notes.lines.isEmpty)
            pool.run()
        }
    }

    /// Its group is another one, or its run is no submission.
    @Test func a_wait_for_an_item_runs_the_pool_however_it_was_submitted() throws {
        let pool = ManualPool()
        try DispatchTesting.run(on: pool) {
            let member = SerialQueueDispatch.DispatchWorkItem {}, performed = SerialQueueDispatch.DispatchWorkItem {}
            Queue.main.async(group: SerialQueueDispatch.DispatchGroup(), execute: member)
            try #require(member.wait(timeout: .now()) == .success)
            nonisolated(unsafe) let item = performed
            Queue.global().async { item.perform() }
            try #require(performed.wait(timeout: .now()) == .success)
        }
    }

    @Test func a_group_that_only_the_clock_leaves_is_named() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            DispatchTesting.run(on: ManualPool()) {
                let group = SerialQueueDispatch.DispatchGroup()
                group.enter()
                Queue.main.asyncAfter(deadline: .now() + 1) { group.leave() }
                group.wait()
            }
        }
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("DispatchGroup.wait: nothing that is ready"))
    }

    @Test func a_wait_for_a_member_behind_the_caller_is_still_a_deadlock() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let pool = ManualPool()
            DispatchTesting.run(on: pool) {
                let queue = Queue(label: "queue"), group = SerialQueueDispatch.DispatchGroup()
                queue.async {
                    queue.async(group: group) {}
                    group.wait()
                }
                pool.run()
            }
        }
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("deadlock"))
    }

    @Test func the_times_of_a_timer_count_from_its_schedule() {
        let pool = ManualPool(), notes = Notes()
        DispatchTesting.run(on: pool) {
            let timer = SerialQueueDispatch.DispatchSource.makeTimerSource(queue: .main)
            nonisolated(unsafe) let fired = timer
            timer.setEventHandler { notes.lines.append("\(fired.data)") }
            timer.schedule(deadline: .now() + 10, repeating: 10)
            pool.advance(by: .seconds(35))
            timer.resume()
            pool.run()
            #expect(notes.lines == ["3"])
            pool.advance(by: .seconds(4))
            #expect(notes.lines == ["3"])
            pool.advance(by: .seconds(1))
            #expect(notes.lines == ["3", "1"])
            timer.setEventHandler {}
            timer.cancel()
            pool.run()
        }
    }

    /// What is released when it has run.
    private final class Captured: Sendable {
        let released: @Sendable () -> Void
        init(_ released: @escaping @Sendable () -> Void) { self.released = released }
        deinit { released() }
    }

    @Test func captures_are_released_in_the_test() {
        let pool = ManualPool(), notes = Notes()
        DispatchTesting.run(on: pool) {
            let main = Queue.main, captured = Captured { [weak main] in notes.lines.append(Queue.main === main ? "in the test" : "outside") }
            Queue(label: "queue").async { withExtendedLifetime(captured) {} }
        }
        pool.run()
        #expect(notes.lines == ["in the test"])
    }

    @Test func a_class_of_its_own_chooses_the_root_queue() {
        let nice = { (queue: Queue) in
            let found = Counted(), group = SerialQueueDispatch.DispatchGroup()
            queue.async(group: group) { found.value.store(Int(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)), ordering: .relaxed) }
            group.wait()
            return found.value.load(ordering: .relaxed)
        }
        #expect(nice(Queue(label: "queue", qos: .utility, target: .global(qos: .background))) == nice(.global(qos: .utility)))
        #expect(nice(Queue(label: "queue", target: .global(qos: .background))) == nice(.global(qos: .background)))
    }

    private final class Counted: Sendable {
        let value = Atomic(-100)
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
