// ApplyTests.swift: loops whose iterations run on several threads, by Dispatch and by ours.

import CTestSupport
import Dispatch
import Foundation
import SerialQueue
import Testing

/// Whose loop a parity test runs.
enum LoopContender: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case dispatch = "concurrentPerform"
    case ours = "apply"

    var testDescription: String { rawValue }

    func loop(_ count: Int, _ body: @Sendable (Int) -> Void) {
        switch self {
        case .dispatch: DispatchQueue.concurrentPerform(iterations: count, execute: body)
        case .ours: WorkerPool.shared.apply(count, body)
        }
    }
}

@Suite struct ApplyTests {
    @Test(arguments: LoopContender.allCases)
    func each_index_comes_once_and_its_writes_are_visible(_ contender: LoopContender) {
        for count in [0, 1, 2, 3, 1_000] {
            let cells = (0..<count).map { _ in Guarded(0) }
            contender.loop(count) { index in cells[index].value += index + 1 }
            #expect(cells.map(\.value) == (0..<count).map { $0 + 1 })
        }
    }

    @Test(arguments: LoopContender.allCases)
    func loops_nest(_ contender: LoopContender) {
        let cells = (0..<20).map { _ in (0..<20).map { _ in Counter() } }
        contender.loop(20) { row in
            contender.loop(20) { column in cells[row][column].increment() }
        }
        #expect(cells.allSatisfy { $0.allSatisfy { $0.value == 1 } })
    }

    @Test(arguments: LoopContender.allCases)
    func the_caller_returns_after_every_iteration(_ contender: LoopContender) {
        let ended = Counter()
        contender.loop(8) { _ in
            for _ in 0..<1_000 { withExtendedLifetime(ended) {} }
            ended.increment()
        }
        #expect(ended.value == 8)
    }

    /// The pool's one thread is busy until the loop is over.
    @Test func a_busy_pool_does_not_hold_up_the_caller() {
        let pool = WorkerPool(threads: 1), queue = SerialQueue(on: pool), ran = Counter()
        let holdup = Holdup { queue.async($0) }
        pool.apply(100) { _ in ran.increment() }
        #expect(ran.value == 100)
        holdup.finish()
        queue.sync {}
    }

    @Test func on_a_manual_pool_the_caller_runs_all() {
        let caller = id_of_this_thread(), ran = Counter()
        ManualPool().apply(100) { _ in
            #expect(id_of_this_thread() == caller)
            ran.increment()
        }
        #expect(ran.value == 100)
        WorkerPool.apply(3) { _ in ran.increment() }
        #expect(ran.value == 103)
    }

    @Test func iterations_of_the_caller_are_on_its_queue() {
        let queue = SerialQueue(label: "looping"), pool = ManualPool(), seen = Counter()
        queue.sync {
            pool.apply(10) { _ in
                queue.preconditionIsCurrent()
                queue.syncOrRun { _ = seen.increment() }
            }
        }
        #expect(seen.value == 10)
    }

    /// What is known about the loops of one closure has no effect on those of another.
    @Test(.timeLimit(.minutes(15))) func a_loop_gets_help_although_another_closures_loops_were_brief() {
        let pool = WorkerPool(threads: 1), ran = Counter()
        for before in 1_000..<1_004 {
            for _ in 0..<before { pool.apply(2) { _ in ran.increment() } }
            let here = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
            pool.apply(2) { index in
                here[index].signal()
                here[1 - index].wait()
            }
        }
        #expect(ran.value == 2 * (1_000 + 1_001 + 1_002 + 1_003))
    }

    @Test(.enabled(if: SwiftABI.isUsed, "the portable form allocates")) func a_loop_allocates_nothing_in_the_caller() {
        let pool = ManualPool(), ran = Counter()
        pool.apply(10) { _ in ran.increment() }
        allocation_probe_begin()
        for _ in 0..<100 { pool.apply(10) { _ in ran.increment() } }
        #expect(allocation_probe_end() == 0)
        #expect(ran.value == 1_010)
    }

    @Test func a_negative_count_traps() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            WorkerPool.shared.apply(-1) { _ in }
        }
        #expect(child.said("WorkerPool.apply: a count of -1 is negative."))
    }

    @Test func a_fork_inside_traps_in_the_child() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            // The caller forks: a thread of the pool would leave a child without it. So those wait for it.
            let caller = pthread_self()
            let forks = Counter()
            WorkerPool.shared.apply(100_000) { _ in
                guard pthread_equal(pthread_self(), caller) != 0 else {
                    while forks.value == 0 { usleep(1_000) }
                    return
                }
                guard forks.value == 0 else { return }
                forks.increment()
                continue_in_a_forked_child()
            }
        }
        #expect(child.said("WorkerPool.apply: an iteration has forked."))
    }
}
