import Foundation
import Testing

@testable import SerialQueue

/// The test runs each loop on a thread of its own: it becomes the owner.
@Suite(.timeLimit(.minutes(15))) struct LoopPoolTests {
    /// Runs `body` on a thread with its own loop pool and a queue on it.
    private func onOwner(_ body: @escaping @Sendable (LoopPool, SerialQueue) -> Void) {
        TestThread {
            let pool = LoopPool(label: "loop")
            body(pool, SerialQueue(label: "main", on: pool))
        }.join()
    }

    private static func isReadable(_ pool: LoopPool, milliseconds: CInt = 0) -> Bool {
        var descriptor = pollfd(fd: pool.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, milliseconds) > 0
    }

    @Test func closures_run_when_the_owner_runs_the_pool_and_the_descriptor_says_so() {
        onOwner { pool, queue in
            nonisolated(unsafe) var lines: [Int] = []
            #expect(!Self.isReadable(pool))
            for line in 0..<10 { queue.async { lines.append(line) } }
            #expect(lines.isEmpty && Self.isReadable(pool))
            #expect(pool.runSome(atMost: 3) == 3)
            #expect(lines == [0, 1, 2] && Self.isReadable(pool))
            #expect(pool.runSome() == 7)
            #expect(lines == Array(0..<10) && !Self.isReadable(pool))
            #expect(pool.runSome() == 0)
            #expect(pool.runSome(waitingUpTo: .milliseconds(1)) == 0)
        }
    }

    @Test func timers_and_delays_run_on_the_owner() {
        onOwner { pool, queue in
            nonisolated(unsafe) var ran: [pthread_t] = []
            queue.asyncAfter(.milliseconds(1)) { ran.append(pthread_self()) }
            #expect(pool.runSome(waitingUpTo: nil) == 1)
            let timer = queue.makeTimer(every: .milliseconds(1)) { ran.append(pthread_self()) }
            while ran.count < 3 { pool.runSome(waitingUpTo: nil) }
            timer.cancel()
            #expect(ran.allSatisfy { $0 == pthread_self() })
        }
    }

    @Test func sync_of_another_thread_runs_on_the_owner_and_that_of_the_owner_in_place() {
        onOwner { pool, queue in
            nonisolated(unsafe) var lines: [String] = []
            let owner = pthread_self()
            let other = TestThread {
                let wasSync = queue.sync { pthread_self() == owner }
                let wasAsync = try? queue.asyncAndWait { pthread_self() == owner }
                #expect(wasSync && wasAsync == true)
                pool.stop()
            }
            pool.runForever()
            other.join()
            queue.async { lines.append("ahead") }
            queue.sync { lines.append("in place") }
            #expect(lines == ["ahead", "in place"])
        }
    }

    @Test func awaited_calls_come_back() async {
        let pool = LoopPool(label: "loop")
        let queue = SerialQueue(label: "main", on: pool)
        let owner = TestThread { pool.runForever() }
        #expect(await (try? queue.run { 42 }) == 42)
        pool.stop()
        withExtendedLifetime(owner) {}
    }

    @globalActor actor Screen {
        static let shared = Screen()
        static let pool = LoopPool(label: "screen")
        private let queue = SerialQueue(label: "screen", on: Screen.pool)
        nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
    }

    /// The owner is recognized by this, not by its name: Foundation may set that a moment after the thread has begun.
    private static let owner = Guarded<pthread_t?>(nil)

    @Screen private static var drawn: [String] = []
    @Screen private static func draw(_ what: String) -> Bool {
        drawn.append(what)
        return owner.value.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }

    @MainActor private static func isOnMainActor() -> Bool {
        MainActor.preconditionIsolated()
        return true
    }

    /// The global actor's code runs on the owner, `@MainActor`'s on the runtime's main queue, and each awaits the other.
    @Test func a_global_actor_on_a_loop_next_to_the_main_actor() async {
        let owner = TestThread {
            Self.owner.value = pthread_self()
            Screen.pool.runForever()
        }
        for line in 0..<100 {
            #expect(await Self.draw("\(line)"))
            #expect(await Self.isOnMainActor())
        }
        #expect(await Self.drawn.count == 100)
        Screen.pool.stop()
        withExtendedLifetime(owner) {}
    }

    @Test func the_owners_waits_for_groups_and_items_run_what_is_on_its_loop() {
        onOwner { pool, queue in
            pool.runSome()
            let group = WorkGroup(label: "members"), other = SerialQueue(label: "other", on: pool)
            nonisolated(unsafe) var lines: [String] = []
            queue.async { lines.append("ahead") }
            other.async { lines.append("other") }
            queue.async(in: group) { lines.append("member") }
            group.wait()
            let item = WorkItem { lines.append("item") }
            #expect(queue.async(item))
            #expect(throws: Never.self) { try item.wait() }
            #expect(lines == ["ahead", "member", "item"])
            #expect(pool.runSome() == 1)
        }
    }

    @Test func a_sync_to_the_loop_from_a_closure_that_the_owner_waits_for_is_named() {
        onOwner { pool, queue in
            pool.own()  // nothing has run on the loop yet
            let work = SerialQueue(label: "work")
            nonisolated(unsafe) var report = ""
            work.async {
                do {
                    try queue.sync(within: .seconds(100)) {}
                } catch SerialQueueError.deadlock(let text) {
                    report = text
                } catch {}
            }
            work.sync {}
            #expect(report.contains("owns the loop \"loop\""))
            #expect(report.contains("queue \"work\""))
        }
    }

    @Test func running_it_on_a_second_thread_traps() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let pool = LoopPool()
            pool.runSome()
            TestThread { pool.runSome() }.join()
        }
        #expect(child.said("Fatal error: LoopPool.runSome: another thread owns the pool."))
    }

    @Test func owning_it_on_a_second_thread_traps() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let pool = LoopPool()
            pool.own()
            TestThread { pool.own() }.join()
        }
        #expect(child.said("Fatal error: LoopPool.own: another thread owns the pool."))
    }

    @Test func running_at_most_nothing_traps() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            LoopPool().runSome(atMost: 0)
        }
        #expect(child.said("at most 0 closures"))
    }
}
