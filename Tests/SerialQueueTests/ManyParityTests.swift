// ManyParityTests.swift: what holds for all groups, semaphores and work items. Each test runs on those of Dispatch, then
// on ours: where the two agree, a program may change from one to the other.

import Testing

@Suite struct ManyParityTests {
    // Groups

    @Test(arguments: Contender.allCases)
    func an_empty_group_has_ended(_ contender: Contender) {
        let group = contender.group(), queue = contender.queue(), notified = Gate()
        #expect(group.waitForEnd(nil))
        #expect(group.waitForEnd(0))
        group.onEnd(queue) { notified.open() }
        notified.pass()
    }

    @Test(arguments: Contender.allCases)
    func a_wait_ends_after_all_members_on_all_queues(_ contender: Contender) {
        let group = contender.group(), queues = (0..<4).map { contender.queue("\($0)") }
        let written = queues.map { _ in Guarded(0) }
        for _ in 0..<100 {
            for (queue, cell) in zip(queues, written) { group.submit(to: queue) { cell.value += 1 } }
        }
        #expect(group.waitForEnd(nil))
        #expect(written.map(\.value) == [100, 100, 100, 100])
    }

    @Test(arguments: Contender.allCases)
    func those_who_entered_are_waited_for_until_they_leave(_ contender: Contender) {
        let group = contender.group(), written = Guarded(0)
        for _ in 0..<3 { group.enterOne() }
        #expect(!group.waitForEnd(1), "a limit ends the wait, and nothing else")
        let leaver = TestThread {
            for _ in 0..<3 {
                written.value += 1
                group.leaveOne()
            }
        }
        #expect(group.waitForEnd(nil))
        #expect(written.value == 3)
        leaver.join()
        group.enterOne()
        #expect(!group.waitForEnd(0), "it can be used again")
        group.leaveOne()
        #expect(group.waitForEnd(0))
    }

    @Test(arguments: Contender.allCases)
    func a_notification_comes_once_after_the_last_member(_ contender: Contender) {
        let group = contender.group(), queue = contender.queue(), other = contender.queue("notified")
        let seen = Guarded([String]()), done = Gate()
        let holdup = Holdup { group.submit(to: queue, $0) }
        group.onEnd(other) { seen.value.append("first") }
        group.onEnd(other) {
            seen.value.append("second")
            done.open()
        }
        #expect(other.perform { seen.value } == [])
        holdup.finish()
        done.pass()
        group.enterOne()
        group.leaveOne()
        #expect(other.perform { seen.value } == ["first", "second"])
    }

    @Test(arguments: Contender.allCases)
    func a_members_captures_are_gone_when_the_wait_ends(_ contender: Contender) {
        let group = contender.group(), queue = contender.queue(), releases = Counter()
        for round in 1...100 {
            do {
                let captured = Captured(releases: releases)
                group.submit(to: queue) { captured.touch() }
            }
            #expect(group.waitForEnd(nil))
            #expect(releases.value == round)
        }
    }

    @Test(arguments: Contender.allCases)
    func the_last_reference_to_a_group_may_go_while_it_has_members(_ contender: Contender) {
        let queue = contender.queue(), done = Gate(), holdup = Holdup(queue.submit)
        do {
            let group = contender.group()
            group.submit(to: queue) {}
            group.onEnd(queue) { done.open() }
        }
        holdup.finish()
        done.pass()
    }

    // Semaphores

    @Test(arguments: Contender.allCases)
    func a_semaphore_has_the_permits_that_it_was_made_with_and_given(_ contender: Contender) {
        let semaphore = contender.semaphore(2)
        #expect(semaphore.take(nil) && semaphore.take(0))
        #expect(!semaphore.take(0) && !semaphore.take(1))
        semaphore.give()
        #expect(semaphore.take(nil))
        for _ in 0..<2 { semaphore.give() }  // Dispatch ends a program that has taken more than it gives
    }

    @Test(arguments: Contender.allCases)
    func a_permit_makes_visible_what_was_written_before(_ contender: Contender) {
        let full = contender.semaphore(0), empty = contender.semaphore(0), cell = Guarded(0)
        let reader = TestThread {
            for round in 1...1_000 {
                _ = full.take(nil)
                #expect(cell.value == round)
                empty.give()
            }
        }
        for round in 1...1_000 {
            cell.value = round
            full.give()
            _ = empty.take(nil)
        }
        reader.join()
    }

    @Test(arguments: Contender.allCases)
    func no_more_than_its_permits_are_inside_at_a_time(_ contender: Contender) {
        let semaphore = contender.semaphore(1), inside = Overlap()
        onThreads(4) { number in
            for round in 0..<1_000 {
                guard semaphore.take((round + number) % 7 == 0 ? 0 : nil) else { continue }
                inside.visit()
                semaphore.give()
            }
        }
        #expect(inside.most == 1)
        #expect(semaphore.take(0) && !semaphore.take(0))
        semaphore.give()
    }

    // Work items

    @Test(arguments: Contender.allCases)
    func an_item_runs_in_its_turn_and_is_waited_for(_ contender: Contender) {
        let queue = contender.queue(), seen = Guarded([Int]())
        let item = contender.item { seen.value.append(2) }
        let holdup = Holdup(queue.submit)
        queue.submit { seen.value.append(1) }
        item.submit(to: queue)
        queue.submit { seen.value.append(3) }
        #expect(!item.waitForEnd(1))
        holdup.finish()
        #expect(item.waitForEnd(nil))
        #expect(queue.perform { seen.value } == [1, 2, 3])
        #expect(!item.wasCancelled)
    }

    @Test(arguments: Contender.allCases)
    func an_item_that_is_cancelled_before_its_turn_never_runs(_ contender: Contender) {
        let queue = contender.queue(), ran = Counter(), notified = Gate()
        let (item, early) = (contender.item { ran.increment() }, contender.item { ran.increment() })
        early.cancelIt()
        let holdup = Holdup(queue.submit)
        item.submit(to: queue)
        early.submit(to: queue)
        item.onEnd(queue) { notified.open() }
        item.cancelIt()
        #expect(item.wasCancelled)
        holdup.finish()
        #expect(item.waitForEnd(nil))
        notified.pass()
        queue.perform {}
        #expect(ran.value == 0)
    }

    @Test(arguments: Contender.allCases)
    func an_item_that_runs_is_not_stopped_and_can_ask(_ contender: Contender) {
        let queue = contender.queue(), entered = Gate(), end = Gate(), seen = Guarded<Bool?>(nil)
        let asked = Guarded<(any ParityItem)?>(nil)
        let item = contender.item {
            entered.open()
            end.pass()
            seen.value = asked.value!.wasCancelled
        }
        asked.value = item
        item.submit(to: queue)
        entered.pass()
        item.cancelIt()
        end.open()
        #expect(item.waitForEnd(nil))
        #expect(queue.perform { seen.value } == true)
        asked.value = nil
    }

    @Test(arguments: Contender.allCases)
    func notifications_of_an_item_come_once_each_after_it_has_run(_ contender: Contender) {
        let queue = contender.queue(), other = contender.queue("notified"), ran = Counter(), seen = Guarded([Int]()), done = Gate()
        let item = contender.item { ran.increment() }
        for number in 1...3 {
            item.onEnd(other) {
                seen.value.append(number * 10 + ran.value)
                if number == 3 { done.open() }
            }
        }
        item.submit(to: queue)
        done.pass()
        #expect(other.perform { seen.value } == [11, 21, 31])
    }
}
