import Testing

@testable import SerialQueue
@testable import SerialQueueOrdered

/// Functions that may be isolated to an actor. What the compiler refuses is in Tests/MustNotCompile.
@Suite struct IsolatedFunctionTests {
    private typealias Function = @isolated(any) @Sendable () -> Void

    @Test func a_function_that_has_no_isolation_runs() async throws {
        let ran = Counter()
        let function: Function = { ran.increment() }
        let queue = SerialQueue(label: "queue"), concurrent = ConcurrentQueue(label: "concurrent"), group = WorkGroup()
        #expect(queue.async(function) && queue.async(in: group, function) && queue.asyncAfter(.zero, function))
        #expect(concurrent.asyncBarrier(function) && concurrent.asyncBarrier(in: group, function))
        try queue.async(waitingUpTo: .zero, function)
        try await queue.submit(function)
        let item = WorkItem(function)
        #expect(queue.async(item) && item.notify(on: queue, function))
        try item.wait(within: .seconds(hangSeconds))
        #expect(group.notify(on: queue, function))
        try group.wait(within: .seconds(hangSeconds))
        queue.sync {}
        concurrent.syncBarrier {}
        eventually { ran.value == 10 }  // a wait may end before the notification has been submitted
        #expect(ran.value == 10)
    }

    @Test func an_item_passes_itself() throws {
        let queue = SerialQueue(label: "queue"), labels = Record<String>()
        let function: @isolated(any) @Sendable (WorkItem) -> Void = { labels.append($0.label) }
        queue.async(WorkItem(label: "item", function))
        queue.sync {}
        #expect(labels.all == ["item"])
    }

    @Test func a_timer_fires() throws {
        let pool = ManualPool(), queue = SerialQueue(label: "queue", on: pool), fired = Counter()
        let function: Function = { fired.increment() }
        let timer = queue.makeTimer(every: .seconds(1), function)
        pool.advance(by: .seconds(2))
        #expect(fired.value > 0)
        #expect(timer.cancel(then: function))
        let before = fired.value
        pool.run()
        #expect(fired.value == before + 1)
        #expect(queue.makeTimer(function).start(after: .zero))
        #expect(ConcurrentQueue(label: "concurrent", on: pool).asyncBarrierAfter(.seconds(1), function))
        pool.advance(by: .seconds(1))
        #expect(fired.value == before + 2)  // the other timer was released
    }

    @Test func a_function_of_an_actor_traps() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let function: @isolated(any) @Sendable () -> Void = { @MainActor in }
            SerialQueue(label: "queue").async(function)
        }
        #expect(child.said("WorkQueue.async: the function is isolated to Swift.MainActor, and would run without it."))
    }

    @Test func an_item_of_a_function_of_an_actor_traps() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let function: @isolated(any) @Sendable (WorkItem) -> Void = { @MainActor _ in }
            _ = WorkItem(function)
        }
        #expect(child.said("WorkItem.init: the function is isolated to Swift.MainActor, and would run without it."))
    }

    /// By name, in an async closure: the conversion keeps the isolation.
    @MainActor @Test func a_function_of_a_global_actor_runs_on_it_in_a_fifo_queue() async {
        let queue = FIFOQueue(), calls = Counter()
        func isolated() {
            MainActor.preconditionIsolated()
            calls.increment()
        }
        queue.enqueue(isolated)
        await queue.enqueueAndWait(isolated)
        await Task(on: queue, operation: isolated).value
        #expect(calls.value == 3)
    }
}
