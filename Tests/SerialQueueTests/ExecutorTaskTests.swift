import SerialQueue
import Testing

/// Tasks that prefer a queue.
@Suite struct ExecutorTaskTests {
    let queue = SerialQueue(label: "preferred")

    @Test func a_task_runs_on_the_queue_it_prefers() async {
        let value = await Task(executorPreference: queue) { [queue] in
            #expect(queue.isCurrent)
            await Task.yield()
            #expect(queue.isCurrent)
            return 7
        }.value
        #expect(value == 7)
        await withTaskExecutorPreference(queue) {
            await plainly { [queue] in #expect(queue.isCurrent) }
            #expect(queue.isCurrent)
        }
        await plainly { [queue] in #expect(!queue.isCurrent) }
    }

    @Test func child_tasks_and_default_actors_run_there_too() async {
        actor Plain {
            func whereabouts() -> SerialQueue? { SerialQueue.current }
        }
        await Task(executorPreference: queue) { [queue] in
            async let child = SerialQueue.current
            await withTaskGroup(of: SerialQueue?.self) { group in
                group.addTask { SerialQueue.current }
                for await place in group { #expect(place == queue) }
            }
            #expect(await child == queue)
            #expect(await Plain().whereabouts() == queue)
        }.value
    }

    /// An actor with an executor of its own is isolated to that.
    @Test func an_actors_own_executor_comes_first() async {
        let store = Store(SerialQueue(label: "store"))
        await Task(executorPreference: queue) { [queue] in
            await store.perform { store in
                #expect(store.queue.isCurrent)
                #expect(!queue.isCurrent)
            }
            #expect(queue.isCurrent)
        }.value
    }

    @Test func a_nonisolated_call_does_not_leave_the_queue_to_come_back() async {
        let jobs = await Task(executorPreference: queue) { [queue] in
            let before = queue.statistics.submitted
            for _ in 0..<10 { await plainly { #expect(queue.isCurrent) } }
            return queue.statistics.submitted - before
        }.value
        #expect(jobs == 0)
    }

    /// What runs on the queue is isolated to the actors on it, wherever it was submitted.
    @Test func a_task_on_the_queue_may_assume_its_actors_isolation() async {
        let store = Store(queue)
        await Task(executorPreference: queue) {
            assumed(store, 1)
            await store.add(2)
        }.value
        #expect(await store.entries == [1, 2])
    }

    @Test func tasks_take_their_turns_with_closures() async {
        let log = Guarded([Int]())
        let holdup = Holdup { queue.async($0) }
        let tasks = (0..<3).map { number in
            let task = Task(executorPreference: queue) { log.value.append(2 * number) }
            queue.async { log.value.append(2 * number + 1) }
            return task
        }
        holdup.finish()
        for task in tasks { await task.value }
        await queue.drain()
        #expect(log.value == Array(0..<6))
    }
}
