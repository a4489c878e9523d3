import Foundation
import Testing

@testable import SerialQueue

/// What a thread has from the system.
private struct Seen: Sendable, Equatable {
    let nice: Int
    let isBatch: Bool

    static func here() -> Seen {
        // For getpriority, 0 is the calling thread. SCHED_BATCH is 3 in the kernel's interface; Glibc's module does not export it.
        Seen(nice: Int(getpriority(CInt(PRIO_PROCESS.rawValue), 0)), isBatch: sched_getscheduler(0) == 3)
    }
}

/// Classes of service. The pools of the tests have threads with what `granted` says; whether that is complete, the system decides.
@Suite(.timeLimit(.minutes(15))) struct ServiceTests {
    @Test(arguments: ServiceClass.allCases)
    func closures_run_on_threads_of_the_class(service: ServiceClass) throws {
        let pool = WorkerPool(label: "class", threads: 1, service: service)
        let granted = try #require(pool.granted)
        let seen = try SerialQueue(on: pool).runAndWait { Seen.here() }
        #expect(seen == Seen(nice: granted.nice, isBatch: granted.isBatch))
        #expect(granted.service == service)
        guard granted.isComplete else { return }
        #expect(granted.nice >= [.utility: 5, .background: 10][service, default: -20])
        #expect(granted.isBatch || service != .background)
        #expect(service != .interactive || granted.slice == .microseconds(500))
    }

    @Test(arguments: ServiceClass.allCases)
    func each_class_has_one_shared_pool_and_one_global_queue(service: ServiceClass) throws {
        let pool = WorkerPool.shared(service)
        #expect(pool === WorkerPool.shared(service))
        #expect((pool === WorkerPool.shared) == (service == .default))
        #expect(try #require(pool.granted).service == service)
        #expect(ConcurrentQueue.global(service) === ConcurrentQueue.global(service))
        #expect((ConcurrentQueue.global(service) === ConcurrentQueue.global()) == (service == .default))
    }

    /// Tasks, too: the queue of the class is their executor.
    @Test func a_task_on_a_global_queue_runs_on_threads_of_its_class() async throws {
        let granted = try #require(WorkerPool.shared(.background).granted)
        let seen = await Task(executorPreference: ConcurrentQueue.global(.background)) { Seen.here() }.value
        #expect(seen == Seen(nice: granted.nice, isBatch: granted.isBatch))
    }

    private actor Indexer {
        private let queue = SerialQueue(label: "indexer", on: .shared(.background))
        nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
        private var looks = 0

        /// It changes the actor's state: otherwise the optimiser would leave out the change to the actor's thread.
        func look() -> Seen {
            looks += 1
            return Seen.here()
        }
    }

    @Test func an_actor_runs_on_threads_of_its_class() async throws {
        let granted = try #require(WorkerPool.shared(.background).granted)
        #expect(await Indexer().look() == Seen(nice: granted.nice, isBatch: granted.isBatch))
    }

    @Test func pools_without_threads_are_granted_nothing() {
        #expect(ManualPool().granted == nil)
        #expect(LoopPool().granted == nil)
    }
}

/// A `sync` of a thread of a higher class, with `helps:`.
@Suite(.timeLimit(.minutes(15))) struct HelpsTests {
    /// The only thread of a background pool is busy with another queue, so only the caller can run what is ahead of it.
    @Test func a_sync_of_a_higher_class_runs_what_is_ahead_of_it_on_its_own_thread() throws {
        let pool = WorkerPool(label: "background", threads: 1, service: .background)
        let busy = SerialQueue(label: "busy", on: pool)
        let helped = SerialQueue(label: "helped", on: pool, helps: true)
        let gate = Gate()
        busy.async { gate.pass() }
        nonisolated(unsafe) var threads: [pthread_t] = []
        for _ in 0..<3 {
            helped.async { threads.append(pthread_self()) }
        }
        defer { gate.open() }
        try helped.sync(within: .seconds(60)) { threads.append(pthread_self()) }
        #expect(threads == [pthread_t](repeating: pthread_self(), count: 4))
    }

    /// A thread outside of all pools has the default class, which is not higher than `.default`.
    @Test func a_sync_of_the_same_class_waits_for_the_pool() {
        let pool = WorkerPool(label: "default", threads: 1)
        let queue = SerialQueue(label: "not helped", on: pool, helps: true)
        nonisolated(unsafe) var threads: [pthread_t] = []
        for _ in 0..<3 {
            queue.async { threads.append(pthread_self()) }
        }
        queue.sync {}
        #expect(threads.count == 3 && !threads.contains(pthread_self()))
    }
}

@Suite struct QueuePriorityTests {
    /// Queues that are ready take turns by priority, and within one in the order in which they became ready.
    @Test func ready_queues_run_by_priority() {
        let pool = ManualPool()
        let record = Record<String>()
        let order: [QueuePriority] = [.low, .normal, .high, .high, .normal, .low]
        let queues = order.enumerated().map { SerialQueue(label: "\($1) \($0)", on: pool, priority: $1) }
        for queue in queues {
            queue.async { record.append(queue.label) }
        }
        pool.run()
        #expect(record.all == ["high 2", "high 3", "normal 1", "normal 4", "low 0", "low 5"])
    }

    @Test func concurrent_queues_have_priorities_too() {
        let pool = ManualPool()
        let record = Record<String>()
        let later = ConcurrentQueue(label: "later", on: pool, priority: .low)
        let sooner = ConcurrentQueue(label: "sooner", on: pool, priority: .high)
        for queue in [later, sooner] {
            queue.async { record.append(queue.label) }
        }
        pool.run()
        #expect(record.all == ["sooner", "later"])
        #expect(QueuePriority.low < .normal && QueuePriority.normal < .high)
    }
}
