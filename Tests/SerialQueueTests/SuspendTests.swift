import Glibc
import SerialQueue
import Testing

@Suite struct SuspendTests {
    let queue = SerialQueue(label: "suspended")

    @Test func nothing_starts_between_suspend_and_resume() {
        let seen = Guarded([Int]())
        #expect(queue.suspend())
        for number in 0..<10 {
            queue.async { seen.value.append(number) }
        }
        #expect(throws: SerialQueueError.timedOut) { try queue.sync(within: .milliseconds(1)) { seen.value.append(-1) } }
        #expect(queue.trySync { seen.value.append(-2) } == nil)
        #expect(seen.value.isEmpty)
        #expect(queue.depth == 10)
        #expect(queue.resume())
        #expect(queue.sync { seen.value } == Array(0..<10))
    }

    @Test func a_task_that_runs_continues() {
        let (ended, next) = (Gate(), Counter())
        let holdup = Holdup { queue.async($0) }
        queue.async { next.increment() }
        queue.suspend()
        holdup.finish()
        eventually { queue.statistics.ran == 1 }
        #expect(next.value == 0)
        queue.resume()
        queue.async { ended.open() }
        ended.pass()
        #expect(next.value == 1)
    }

    @Test func suspensions_are_counted() {
        let ran = Counter()
        for _ in 0..<3 { queue.suspend() }
        queue.async { ran.increment() }
        for _ in 0..<2 {
            #expect(queue.resume())
            #expect(queue.trySync {} == nil)
        }
        #expect(ran.value == 0)
        #expect(queue.resume())
        queue.sync {}
        #expect(ran.value == 1)
    }

    @Test func an_over_resume_returns_false_and_changes_nothing() {
        #expect(!queue.resume())
        queue.suspend()
        #expect(queue.resume())
        for _ in 0..<3 { #expect(!queue.resume()) }
        queue.suspend()
        #expect(queue.trySync {} == nil, "an over-resume must not be saved up")
        #expect(queue.resume())
        #expect(queue.trySync { 1 } == 1)
    }

    @Test func sync_waits_for_the_resume() {
        let resumed = Guarded(false)
        queue.suspend()
        let waiters = (0..<3).map { kind in
            TestThread { [queue] in
                switch kind {
                case 0: queue.sync { #expect(resumed.value) }
                case 1: #expect(throws: Never.self) { try queue.sync(within: .seconds(3600)) { #expect(resumed.value) } }
                default: #expect(throws: Never.self) { try queue.runAndWait { #expect(resumed.value) } }
                }
            }
        }
        eventually { queue.depth == 3 }
        resumed.value = true
        queue.resume()
        waiters.forEach { $0.join() }
    }

    @Test func a_queue_may_suspend_itself() {
        let (suspended, ran) = (Gate(), Counter())
        let holdup = Holdup { queue.async($0) }
        queue.async { [queue] in
            queue.suspend()
            suspended.open()
        }
        queue.async { ran.increment() }
        holdup.finish()
        suspended.pass()
        #expect(queue.trySync {} == nil)
        #expect(ran.value == 0)
        queue.resume()
        queue.sync {}
        #expect(ran.value == 1)
    }

    /// Suspends in the middle of a stream, from two threads. While it is suspended, at most one more task begins: the one whose turn had already
    /// come.
    @Test func a_storm_of_suspensions_loses_nothing_and_starts_nothing() {
        let started = Counter()
        let seen = Guarded([Int]())
        let count = 20_000
        onThreads(3) { [queue] thread in
            if thread == 0 {
                for number in 0..<count {
                    queue.async {
                        started.increment()
                        seen.value.append(number)
                    }
                }
                return
            }
            for _ in 0..<500 {
                queue.suspend()
                let before = started.value
                for _ in 0..<5 { sched_yield() }
                #expect(started.value <= before + 1)
                #expect(queue.resume())
            }
        }
        #expect(queue.sync { seen.value } == Array(0..<count))
        #expect(!queue.resume())
    }

    @Test func release_while_suspended_releases_the_captures() {
        let (releases, ran) = (Counter(), Counter())
        var queue: SerialQueue? = SerialQueue(label: "released")
        queue!.suspend()
        for _ in 0..<100 {
            let captured = Captured(releases: releases)
            queue!.async {
                captured.touch()
                ran.increment()
            }
        }
        #expect(releases.value == 0)
        queue = nil
        eventually { releases.value == 100 }
        #expect(ran.value == 0)
        eventually { !threadNames().contains("released") }
        #expect(releases.value == 100)
    }

    @Test func release_in_a_task_that_suspended_its_queue_releases_the_captures() {
        let (releases, ran) = (Counter(), Counter())
        let holder = Guarded<SerialQueue?>(SerialQueue(label: "released"))
        let holdup = Holdup { holder.value!.async($0) }
        holder.value!.async {
            holder.value!.suspend()
            holder.value = nil
        }
        do {
            let captured = Captured(releases: releases)
            holder.value!.async {
                captured.touch()
                ran.increment()
            }
        }
        holdup.finish()
        eventually { releases.value == 1 }
        #expect(ran.value == 0)
    }

    @Test func nothing_can_be_suspended_after_a_shutdown() throws {
        try queue.shutdown()
        #expect(!queue.suspend())
        #expect(!queue.resume())
    }
}
