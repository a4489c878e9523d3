import SerialQueue
import Testing

@Suite struct WorkerPoolTests {
    @Test func a_queue_on_a_pool_runs_in_order() {
        let queue = SerialQueue(label: "ordered", on: .shared)
        let record = Record<Int>()
        for number in 0..<1000 {
            queue.async { record.append(number) }
        }
        queue.sync { record.append(1000) }
        #expect(record.all == Array(0...1000))
    }

    /// The first queue's closure waits inside the pool's one thread; if the other one could run meanwhile, it would.
    @Test func queues_on_a_pool_of_one_never_run_at_once() {
        let pool = WorkerPool(label: "one", threads: 1)
        let queues = (0..<4).map { SerialQueue(label: "q\($0)", on: pool) }
        let running = Overlap()
        for _ in 0..<500 {
            for queue in queues {
                queue.async { running.visit() }
            }
        }
        for queue in queues {
            queue.sync {}
        }
        #expect(running.most == 1)
    }

    /// The pool's one thread waits in a sync for what only a thread of the pool can bring on.
    @Test func a_nested_sync_lends_its_thread() {
        let pool = WorkerPool(threads: 1)
        let outer = SerialQueue(label: "outer", on: pool)
        let inner = SerialQueue(label: "inner", on: pool)
        let record = Record<String>()
        outer.async {
            inner.async { record.append("async") }
            inner.sync { record.append("sync") }
        }
        outer.sync {}
        #expect(record.all == ["async", "sync"])
    }

    /// The last closure opens what the others wait for, so the pool must grow for it.
    @Test func blocked_closures_do_not_stop_another_queue() {
        let pool = WorkerPool(label: "growing")
        let gate = Gate()
        let blocked = (0..<20).map { SerialQueue(label: "blocked\($0)", on: pool) }
        for queue in blocked {
            queue.async { gate.pass() }
        }
        SerialQueue(label: "free", on: pool).async { gate.open() }
        for queue in blocked {
            queue.sync {}
        }
    }

    @Test func a_queue_keeps_its_pool() {
        let record = Record<Int>()
        var pool: WorkerPool? = WorkerPool(label: "short-lived", threads: 1)
        let queue = SerialQueue(on: pool)
        pool = nil
        queue.async { record.append(1) }
        queue.sync { record.append(2) }
        #expect(record.all == [1, 2])
    }

    @Test func a_pool_of_no_threads_is_refused() async {
        await #expect(processExitsWith: .failure) {
            _ = WorkerPool(label: "none", threads: 0)
        }
    }

    /// C's error is the one that it has for a stack, too.
    @Test func a_pool_of_too_many_threads_is_refused_for_that() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = WorkerPool(label: "many", threads: .max, stackSize: 1 << 20)
        }
        #expect(child.said("WorkerPool \"many\": \(Int.max) threads are more than a pool can have"))
    }
}

@Suite struct ManualPoolTests {
    @Test func nothing_runs_before_it_is_run() {
        let pool = ManualPool(label: "test")
        let queue = SerialQueue(on: pool)
        let record = Record<Int>()
        for number in 0..<3 {
            queue.async { record.append(number) }
        }
        #expect(record.all == [])
        #expect(pool.run() == 3)
        #expect(record.all == [0, 1, 2])
        #expect(pool.run() == 0)
    }

    @Test func what_becomes_ready_meanwhile_runs_too() {
        let pool = ManualPool()
        let first = SerialQueue(label: "first", on: pool)
        let second = SerialQueue(label: "second", on: pool)
        let record = Record<String>()
        first.async {
            record.append("first")
            second.async { record.append("second") }
        }
        #expect(pool.run() == 2)
        #expect(record.all == ["first", "second"])
    }

    @Test func a_sync_runs_what_is_ahead_of_it() {
        let pool = ManualPool()
        let queue = SerialQueue(on: pool)
        let other = SerialQueue(on: pool)
        let record = Record<String>()
        other.async { record.append("other") }
        queue.async { record.append("ahead") }
        queue.sync { record.append("sync") }
        #expect(record.all == ["ahead", "sync"])
        #expect(pool.run() == 1)
    }

    @Test func a_shutdown_runs_what_is_left() throws {
        let pool = ManualPool()
        let queue = SerialQueue(on: pool)
        let record = Record<Int>()
        queue.async { record.append(1) }
        try queue.shutdown(.drain)
        #expect(record.all == [1])
    }
}
