// Waits that block a thread, where code is asynchronous: the error names the one that suspends.
import SerialQueue
import SerialQueueOperations

func blocks(_ semaphore: Semaphore, _ item: WorkItem, _ operation: WorkOperation<Int>, _ operations: WorkOperationQueue) async throws {
    semaphore.wait()  // error: it blocks a thread that other tasks need: use 'try await withPermit { }'
    try item.wait()  // error: it blocks a thread that other tasks need: use 'try await outcome'
    try operation.wait()  // error: it blocks a thread that other tasks need: use 'try await value'
    try operations.wait()  // error: it blocks a thread that other tasks need: use 'try await drain(within:)'
}

func suspends(
    _ semaphore: Semaphore, _ item: WorkItem, _ operation: WorkOperation<Int>, _ operations: WorkOperationQueue, _ group: WorkGroup, _ queue: SerialQueue
) async throws {
    try await semaphore.withPermit {}
    _ = try await item.outcome
    _ = try await operation.value
    try await operations.drain(within: nil)
    try await group.wait()
    try await queue.shutdown()
}

func limited(_ semaphore: Semaphore, _ item: WorkItem, _ operation: WorkOperation<Int>, _ group: WorkGroup) async throws {
    try semaphore.wait(within: .seconds(1))
    try item.wait(within: .seconds(1))
    try operation.wait(within: .seconds(1))
    try group.wait(within: .seconds(1))
}

func synchronous(_ semaphore: Semaphore, _ item: WorkItem, _ group: WorkGroup, _ queue: SerialQueue) throws {
    semaphore.wait()
    try item.wait()
    group.wait()
    try queue.shutdown()
}

func in_a_closure_of_a_queue(_ semaphore: Semaphore, _ queue: SerialQueue) async {
    queue.async { semaphore.wait() }
    queue.sync {}
}
