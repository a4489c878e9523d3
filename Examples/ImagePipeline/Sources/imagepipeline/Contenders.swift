import Foundation
import SerialQueueOperations
import Synchronization

/// One picture after the other, on one thread. Returns why rows failed.
func runLoop(_ job: Job) -> [Int: String] {
    var failures: [Int: String] = [:]
    for row in job.files.indices {
        do { try job.write(job.filter(Picture.decode(job.load(row))), row) } catch { failures[row] = "\(error)" }
    }
    return failures
}

/// The stages as operations of a WorkOperationQueue, all added at once.
func runOperations(_ job: Job, on queue: WorkOperationQueue, _ timeline: Timeline) async throws -> [Int: String] {
    let attempts = job.files.indices.map { Attempt(row: $0, of: job, on: queue, timeline) }
    var failures: [Int: String] = [:]
    for (row, attempt) in attempts.enumerated() {
        if case .failed(let message) = try await attempt.end.value { failures[row] = message }
    }
    return failures
}

/// A stage's result on its way to the next one, which takes it. Foundation's operations have no values.
private final class Slot<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, any Error>?>(nil)

    func put(_ make: () throws -> Value) {
        let result = Result { try make() }
        value.withLock { $0 = result }
    }

    func take() throws -> Value {
        try value.withLock { value in
            defer { value = nil }
            return value
        }!.get()
    }
}

/// The same stages as operations of Foundation, all added at once. What has begun goes first, as in ``Attempt``.
func runFoundation(_ job: Job, width: Int) -> [Int: String] {
    let failures = Mutex<[Int: String]>([:])
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = width
    for row in job.files.indices {
        let data = Slot<Data>(), picture = Slot<Picture>(), small = Slot<Picture>()
        let load = BlockOperation { data.put { try job.load(row) } }
        let decode = BlockOperation { picture.put { try Picture.decode(data.take()) } }
        let filter = BlockOperation { small.put { try job.filter(picture.take()) } }
        let write = BlockOperation {
            do { try job.write(small.take(), row) } catch { failures.withLock { $0[row] = "\(error)" } }
        }
        decode.addDependency(load)
        filter.addDependency(decode)
        write.addDependency(filter)
        for operation in [decode, filter, write] { operation.queuePriority = .high }
        queue.addOperations([load, decode, filter, write], waitUntilFinished: false)
    }
    queue.waitUntilAllOperationsAreFinished()
    return failures.withLock { $0 }
}
