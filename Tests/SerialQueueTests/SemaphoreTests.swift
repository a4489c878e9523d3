import CTestSupport
import Foundation
import SerialQueue
import Synchronization
import Testing

@Suite struct SemaphoreTests {
    let semaphore = Semaphore(label: "permits", value: 0)

    @Test func it_has_as_many_permits_as_it_was_made_with_and_given() throws {
        let semaphore = Semaphore(value: 2)
        #expect(semaphore.signal())
        semaphore.wait()
        try semaphore.wait(within: .zero)  // what is there is taken
        #expect(semaphore.tryWait())
        #expect(!semaphore.tryWait())
        #expect(throws: SerialQueueError.timedOut) { try semaphore.wait(within: .zero) }
        #expect(throws: SerialQueueError.timedOut) { try semaphore.wait(within: .milliseconds(1)) }
    }

    @Test func a_signal_beyond_the_maximum_is_false_and_changes_nothing() {
        let semaphore = Semaphore(value: .max)
        #expect(!semaphore.signal())
        #expect(semaphore.tryWait())
        #expect(semaphore.signal())
        #expect(!semaphore.signal())
    }

    @Test func it_has_its_label_and_describes_itself() {
        #expect(semaphore.label == "permits")
        #expect(Semaphore(value: 1).label == "")
        #expect("\(semaphore)" == "Semaphore \"permits\"")
    }

    @Test func a_negative_value_ends_the_program_with_a_message() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Semaphore(label: "negative", value: -1)
        }
        #expect(child.said("Semaphore \"negative\": it cannot have -1 permits"))
    }

    // In tasks

    @Test func with_permit_returns_what_the_closure_returns_and_throws_what_it_throws() async throws {
        struct Refusal: Error {}
        struct Unique: ~Copyable { let number: Int }
        semaphore.signal()
        #expect(try await semaphore.withPermit { 7 } == 7)
        let unique = try await semaphore.withPermit { Unique(number: 3) }
        #expect(unique.number == 3)
        await #expect(throws: Refusal.self) { try await semaphore.withPermit { throw Refusal() } }
        #expect(semaphore.tryWait(), "the permit came back")
        #expect(!semaphore.tryWait(), "once")
    }

    /// `Task.immediate` has come to its `await` when it returns.
    @Test func tasks_and_threads_get_permits_in_one_order() async throws {
        let seen = Log<Int>()
        let semaphore = semaphore
        let first = Task.immediate { try await semaphore.withPermit { seen.append(1) } }
        let thread = Atomic<UInt>(0)
        let second = TestThread {
            thread.store(id_of_this_thread(), ordering: .relaxed)
            semaphore.wait()
            seen.append(2)
            semaphore.signal()
        }
        await comesTrue { isAsleep(thread.load(ordering: .relaxed)) }
        let third = Task.immediate { try await semaphore.withPermit { seen.append(3) } }
        semaphore.signal()
        try await first.value
        try await third.value
        second.join()
        #expect(seen.entries == [1, 2, 3])
        #expect(semaphore.tryWait())
    }

    /// Its caller is on an actor, and its closure is, too, without leaving it.
    @Test @MainActor func the_closure_runs_where_its_caller_runs() async throws {
        let box = Box()
        semaphore.signal()
        try await semaphore.withPermit {
            MainActor.assertIsolated()
            box.number += 1
            await Task.yield()
            MainActor.assertIsolated()
            box.number += 1
        }
        #expect(box.number == 2)
    }

    @Test func a_waiting_task_keeps_its_priority() async throws {
        let semaphore = semaphore
        let task = Task.immediate(priority: .high) { try await semaphore.withPermit { Task.currentPriority } }
        let low = Task.immediate(priority: .low) { try await semaphore.withPermit { Task.currentPriority } }
        semaphore.signal()
        #expect(try await task.value == .high)
        _ = try await low.value
    }

    @Test func a_cancelled_task_throws_at_once_and_takes_nothing() async throws {
        let semaphore = semaphore, ran = Counter()
        let task = Task.immediate { try await semaphore.withPermit { ran.increment() } }
        let next = Task.immediate { try await semaphore.withPermit { ran.increment() } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        semaphore.signal()
        #expect(try await next.value == 1)
        #expect(semaphore.tryWait())
        #expect(!semaphore.tryWait())
    }

    @Test func a_task_that_was_cancelled_before_takes_nothing() async {
        let semaphore = semaphore
        semaphore.signal()
        let cancelled = Task.immediate {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await semaphore.withPermit { Issue.record("it runs") }
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(semaphore.tryWait())
    }

    @Test func one_that_has_its_permit_runs_although_it_is_cancelled() async throws {
        let semaphore = semaphore, gate = Stopover()
        semaphore.signal()
        let task = Task.immediate {
            try await semaphore.withPermit {
                await gate.pass()
                return Task.isCancelled
            }
        }
        task.cancel()
        gate.open()
        #expect(try await task.value)
        #expect(semaphore.tryWait())
    }

    /// The cancelling thread takes the permit back, or it has been given.
    @Test func no_permit_is_lost_or_doubled_in_a_storm_of_cancellations_and_timeouts() async {
        let permits = 2, semaphore = Semaphore(label: "storm", value: permits)
        let inside = Inside(), taken = Counter(), left = Counter()
        let threads = (0..<2).map { number in
            TestThread { [rounds] in
                for round in 0..<rounds * 2 {
                    guard (try? semaphore.wait(within: .microseconds((round + number) % 20))) != nil else { continue }
                    taken.increment()
                    semaphore.signal()
                }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask { [rounds] in
                    for round in 0..<rounds * 2 {
                        let task = Task {
                            try await semaphore.withPermit {
                                inside.enter()
                                taken.increment()
                                if round % 4 == 0 { await Task.yield() }
                                inside.leave()
                            }
                        }
                        for _ in 0..<(round + number) % 4 { await Task.yield() }
                        if round % 3 != 0 { task.cancel() }
                        if case .failure = await task.result { left.increment() }
                    }
                }
            }
        }
        threads.forEach { $0.join() }
        #expect(inside.most <= permits)
        #expect(taken.value > 0 && left.value > 0)
        for _ in 0..<permits { #expect(semaphore.tryWait()) }
        #expect(!semaphore.tryWait())
    }

    @Test func the_last_reference_may_go_while_a_task_waits() async throws {
        weak var seen: SerialQueue.Semaphore?  // Glibc has a Semaphore, too
        let task: Task<Void, any Error>
        do {
            let semaphore = Semaphore(value: 0)
            seen = semaphore
            task = Task.immediate { try await semaphore.withPermit {} }
            let cancelled = Task.immediate { try await semaphore.withPermit {} }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
        }
        #expect(seen != nil, "the task has it")
        seen?.signal()
        try await task.value
        await comesTrue { seen == nil }
    }

    private final class Box { var number = 0 }

    /// How many have a permit at a time.
    private final class Inside: Sendable {
        private let now = Atomic(0), highest = Atomic(0)

        var most: Int { highest.load(ordering: .relaxed) }

        func enter() {
            highest.max(now.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
        }

        func leave() {
            now.subtract(1, ordering: .relaxed)
        }
    }

    /// Whether the system says three times in a row that the thread sleeps: then it is in its wait.
    private func isAsleep(_ thread: UInt) -> Bool {
        (0..<3).allSatisfy { _ in
            sched_yield()
            let file = thread == 0 ? nil : FileHandle(forReadingAtPath: "/proc/self/task/\(thread)/stat")
            let text = (try? file?.readToEnd()).map { String(decoding: $0, as: UTF8.self) } ?? ""
            return text.split(separator: ")").last?.hasPrefix(" S") ?? false
        }
    }
}
