import SerialQueue
import SerialQueueOperations
import Testing

/// Waits for operations in other places than a task of a serial queue; and code that runs while an operation waits.
@Suite(.timeLimit(.minutes(15))) struct OtherWaitTests {
    let queue = WorkOperationQueue(label: "operations", width: 2)

    /// To see these two fail (by a hang): in the init of `Waiter` set `blocks` only if `SerialQueue.current` is not nil.
    @Test func a_wait_in_a_closure_of_a_concurrent_queue_is_named() throws {
        let shared = ConcurrentQueue(label: "shared")
        let refused = Counter()
        shared.sync {
            let inner = queue.add("inner") {
                do { try shared.syncBarrier(within: .seconds(3_600)) {} } catch SerialQueueError.deadlock { refused.increment() }
            }
            do { try inner.wait() } catch SerialQueueError.deadlock { refused.increment() } catch {}
        }
        #expect(refused.value == 1)
    }

    @Test func a_wait_in_a_serial_queue_below_a_concurrent_one_is_named() throws {
        let shared = ConcurrentQueue(label: "shared"), serial = SerialQueue(label: "serial")
        let refused = Counter()
        serial.sync {
            shared.sync {
                let inner = queue.add("inner") {
                    do { try serial.sync(within: .seconds(3_600)) {} } catch SerialQueueError.deadlock { refused.increment() }
                }
                do { try inner.wait() } catch SerialQueueError.deadlock { refused.increment() } catch {}
            }
        }
        #expect(refused.value == 1)
    }

    @Test func a_task_that_runs_while_an_operation_waits_is_not_the_operations() throws {
        let pool = ManualPool()
        let queue = WorkOperationQueue(label: "operations", width: 3, on: pool), other = SerialQueue(label: "other", on: pool)
        let item = WorkItem(label: "item") {}
        let seen = Record<String>()
        let last = WorkOperation("last") { 1 }
        let waiting = queue.add("waiting") {
            _ = Task(executorPreference: other) {
                seen.append(CurrentOperation.label ?? "none")
                seen.append("\(try await last.value)")
            }
            other.async(item)
            try item.wait()
        }
        try last.add(dependency: waiting)
        try queue.add(last)
        pool.run()
        pool.run()
        #expect(seen.all == ["none", "1"])
    }
}
