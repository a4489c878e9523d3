// ParityTests.swift: what holds for every serial queue. Each test runs on DispatchQueue, then on ours: where the two
// agree, a program may change from one to the other; where a test fails on both, the test is wrong.

import Glibc
import Testing

@Suite struct ParityTests {
    @Test(arguments: Contender.allCases)
    func async_runs_in_the_order_of_submission(_ contender: Contender) {
        let queue = contender.queue()
        let seen = Guarded([Int]())
        for number in 0..<10_000 {
            queue.submit { seen.value.append(number) }
        }
        #expect(queue.perform { seen.value } == Array(0..<10_000))
    }

    @Test(arguments: Contender.allCases)
    func sync_runs_after_every_earlier_async(_ contender: Contender) {
        let queue = contender.queue()
        let ran = Guarded(0)
        let holdup = Holdup(queue.submit)
        for _ in 0..<100 {
            queue.submit { ran.value += 1 }
        }
        let waiter = TestThread {
            #expect(queue.perform { ran.value } == 100)
        }
        holdup.finish()
        waiter.join()
    }

    @Test(arguments: Contender.allCases)
    func async_returns_while_the_queue_is_busy(_ contender: Contender) {
        let queue = contender.queue()
        let ran = Guarded(false)
        let holdup = Holdup(queue.submit)
        queue.submit { ran.value = true }  // Were this to wait for its turn, the hold-up would outlast its bound.
        holdup.finish()
        #expect(queue.perform { ran.value })
    }

    @Test(arguments: Contender.allCases)
    func sync_runs_on_the_calling_thread_and_async_does_not(_ contender: Contender) {
        let queue = contender.queue()
        let caller = pthread_self()
        #expect(queue.perform { pthread_self() } == caller)
        let worker = Guarded(caller)
        queue.submit { worker.value = pthread_self() }
        #expect(queue.perform { worker.value } != caller)
    }

    @Test(arguments: Contender.allCases)
    func sync_returns_what_its_closure_returns_and_throws_what_it_throws(_ contender: Contender) {
        struct Refusal: Error, Equatable { let reason: Int }
        let queue = contender.queue()
        #expect(queue.perform { "result" } == "result")
        #expect(throws: Refusal(reason: 7)) { try queue.perform { throw Refusal(reason: 7) } }
        #expect(queue.perform { 1 } == 1, "a throw must leave the queue free")
    }

    @Test(arguments: Contender.allCases)
    func producers_keep_their_order_and_never_overlap(_ contender: Contender) {
        expectOrderFromManyProducers(on: contender.queue(), producers: 6, tasksEach: 2_000)
    }

    @Test(arguments: Contender.allCases)
    func a_task_submitted_by_a_task_runs_after_what_was_submitted_before(_ contender: Contender) {
        let queue = contender.queue()
        let seen = Guarded([String]())
        let done = Gate()
        let holdup = Holdup(queue.submit)
        queue.submit {
            seen.value.append("outer begins")
            queue.submit {
                seen.value.append("inner")
                done.open()
            }
            seen.value.append("outer ends")
        }
        queue.submit { seen.value.append("second") }
        holdup.finish()
        done.pass()
        #expect(queue.perform { seen.value } == ["outer begins", "outer ends", "second", "inner"])
    }

    @Test(arguments: Contender.allCases)
    func queues_nest(_ contender: Contender) {
        let (outer, inner) = (contender.queue("outer"), contender.queue("inner"))
        let seen = Guarded([Int]())
        inner.submit { seen.value.append(1) }
        outer.submit { inner.perform { seen.value.append(2) } }
        let third = outer.perform {
            inner.perform {
                seen.value.append(3)
                return seen.value
            }
        }
        #expect(third == [1, 2, 3])
    }

    @Test(arguments: Contender.allCases)
    func captures_are_released_once_and_before_the_next_task(_ contender: Contender) {
        let queue = contender.queue()
        let releases = Counter()
        let seenByNext = Guarded(0)
        let holdup = Holdup(queue.submit)
        do {
            let captured = Captured(releases: releases)
            queue.submit { captured.touch() }
        }
        queue.submit { seenByNext.value = releases.value }
        #expect(releases.value == 0, "released before it ran")
        holdup.finish()
        #expect(queue.perform { seenByNext.value } == 1)
        #expect(releases.value == 1)
    }

    @Test(arguments: Contender.allCases)
    func a_captured_object_may_submit_when_it_is_released(_ contender: Contender) {
        let queue = contender.queue()
        let done = Gate()
        do {
            let captured = Captured { queue.submit { done.open() } }
            queue.submit { captured.touch() }
        }
        done.pass()
    }

    @Test(arguments: Contender.allCases)
    func the_last_reference_may_go_while_tasks_wait(_ contender: Contender) {
        let ran = Counter()
        let done = Gate()
        var queue: (any AnyQueue)? = contender.queue()
        let holdup = Holdup(queue!.submit)
        for _ in 0..<100 {
            queue!.submit { if ran.increment() == 100 { done.open() } }
        }
        queue = nil
        #expect(ran.value == 0)
        holdup.finish()
        done.pass()
    }

    @Test(arguments: Contender.allCases)
    func the_label_is_kept(_ contender: Contender) {
        #expect(contender.queue("com.example.größe").label == "com.example.größe")
    }

    /// The queue is all that orders these accesses: run it under ThreadSanitizer.
    @Test(arguments: Contender.allCases)
    func what_was_written_before_is_visible(_ contender: Contender) {
        let queue = contender.queue()
        for round in 0..<1_000 {
            let note = Guarded(round)
            queue.submit { note.value += 1 }  // written by the caller, read by the task
            queue.perform { note.value += 1 }  // written by the task, read by the sync after it
            #expect(note.value == round + 2)
        }
    }
}

/// Every producer submits numbered tasks, each third with `perform`. Tasks that overlap another, or run out of their producer's order,
/// are counted.
func expectOrderFromManyProducers(on queue: any AnyQueue, producers: Int, tasksEach: Int) {
    struct Log {
        var isRunning = false
        var next: [Int]
        var overlaps = 0
        var reorders = 0
    }
    let log = Guarded(Log(next: Array(repeating: 0, count: producers)))
    onThreads(producers) { producer in
        for number in 0..<tasksEach {
            let task: @Sendable () -> Void = {
                if log.value.isRunning { log.value.overlaps += 1 }
                log.value.isRunning = true
                if log.value.next[producer] != number { log.value.reorders += 1 }
                log.value.next[producer] = number + 1
                log.value.isRunning = false
            }
            number % 3 == producer % 3 ? queue.perform(task) : queue.submit(task)
        }
    }
    let final = queue.perform { log.value }
    #expect(final.next == Array(repeating: tasksEach, count: producers))
    #expect(final.overlaps == 0)
    #expect(final.reorders == 0)
}
