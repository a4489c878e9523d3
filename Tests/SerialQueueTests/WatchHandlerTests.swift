import CTestSupport
import Glibc
import SerialQueue
import Testing

/// When a handler is replaced, stopped and released.
@Suite struct WatchHandlerTests {
    let queue = SerialQueue(label: "watched")
    /// Longer than a thread usually takes to begin: what waits for that thread longer is reported, too, and first.
    let threshold = Duration.milliseconds(100)

    @Test func a_handler_is_released_when_another_takes_its_place() {
        let (releases, witness) = (Counter(), Witness())
        queue.letTheThreadBegin()
        for expected in 0..<10 {
            let captured = Captured(releases: releases)
            queue.onStall(after: .seconds(3600)) { _ in captured.touch() }
            #expect(releases.value == expected)
        }
        queue.onStall(after: threshold, witness.note)
        #expect(releases.value == 10)
        let holdup = Holdup { queue.async($0) }
        #expect(!witness.await(1).isEmpty, "the new one gets a report")
        holdup.finish()
    }

    @Test func a_stopped_handler_is_released_and_not_called_again() {
        let (releases, reports) = (Counter(), Counter())
        do {
            let captured = Captured(releases: releases)
            queue.onStall(after: threshold) { _ in
                captured.touch()
                reports.increment()
            }
        }
        queue.stopWatching()
        #expect(releases.value == 1)
        queue.stopWatching()
        let holdup = Holdup { queue.async($0) }
        SerialQueue.letTheWatcherLook(threshold)
        #expect(reports.value == 0)
        holdup.finish()
        #expect(releases.value == 1)
    }

    @Test func stopping_what_was_never_begun_does_nothing() {
        queue.stopWatching()
        #expect(queue.sync { 1 } == 1)
    }

    @Test func a_handler_is_released_with_its_queue() {
        let releases = Counter()
        var idle: SerialQueue? = SerialQueue(label: "idle")
        var used: SerialQueue? = SerialQueue(label: "used")
        var suspended: SerialQueue? = SerialQueue(label: "suspended")
        for queue in [idle!, used!, suspended!] {
            let captured = Captured(releases: releases)
            queue.onStall(after: .seconds(3600)) { _ in captured.touch() }
        }
        used!.async {}
        suspended!.suspend()
        suspended!.async {}
        #expect(releases.value == 0)
        idle = nil
        eventually { releases.value == 1 }
        used = nil
        suspended = nil
        eventually { releases.value == 3 }
    }

    @Test func a_handler_may_stop_and_replace_itself() {
        let (releases, first, second) = (Counter(), Counter(), Witness())
        let (stopped, replaced) = (Gate(), Gate())
        queue.letTheThreadBegin()
        do {
            let captured = Captured(releases: releases)
            queue.onStall(after: threshold) { [queue] _ in
                queue.stopWatching()
                #expect(releases.value == 0, "it still runs")
                captured.touch()
                stopped.open()
            }
        }
        let holdup = Holdup { queue.async($0) }
        stopped.pass()
        eventually { releases.value == 1 }
        holdup.finish()
        do {
            let captured = Captured(releases: releases)
            queue.onStall(after: threshold) { [queue, threshold] _ in
                captured.touch()
                first.increment()
                queue.onStall(after: threshold, second.note)
                replaced.open()
            }
        }
        let next = Holdup { queue.async($0) }
        replaced.pass()
        eventually { releases.value == 2 }
        next.finish()
        let last = Holdup { queue.async($0) }
        eventually { second.seen.contains { $0.kind == .running } }
        last.finish()
        #expect(first.value == 1)
    }

    @Test func a_handler_that_holds_its_queue_releases_it_when_it_is_stopped() {
        weak var handle: SerialQueue?
        do {
            let queue = SerialQueue(label: "held by its handler")
            handle = queue
            queue.onStall(after: .seconds(3600)) { _ in queue.resume() }
        }
        #expect(handle != nil)
        handle?.stopWatching()
        #expect(handle == nil)
    }

    @Test func the_last_reference_may_go_in_a_handler() {
        let holder = Guarded<SerialQueue?>(SerialQueue(label: "goes in a handler"))
        let (releases, gone) = (Counter(), Gate())
        do {
            let captured = Captured(releases: releases)
            holder.value!.onStall(after: threshold) { _ in
                captured.touch()
                holder.value = nil
                gone.open()
            }
        }
        holder.value!.suspend()
        holder.value!.async {}
        gone.pass()
        eventually { releases.value == 1 }
    }

    @Test func handlers_come_and_go_in_a_crowd() {
        let (made, releases) = (Counter(), Counter())
        onThreads(4) { [queue] thread in
            for round in 0..<200 {
                if (thread + round) % 3 == 0 {
                    queue.stopWatching()
                } else {
                    made.increment()
                    let captured = Captured(releases: releases)
                    queue.onStall(after: .nanoseconds(1)) { _ in captured.touch() }
                }
                queue.async { sched_yield() }
            }
        }
        queue.stopWatching()
        eventually { releases.value == made.value }
    }
}
