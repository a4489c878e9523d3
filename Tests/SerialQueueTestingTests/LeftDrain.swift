import SerialQueue
import SerialQueueTesting
import Testing

/// A drain whose caller is cancelled, over many schedules: it has ended, and the one task is done, or it was left.
final class LeftDrain: Sendable {
    private let ended = Count(), left = Count()

    /// One schedule. Afterwards the queue drains as before. The task adds one to `done`.
    func cancel(on pool: ManualPool, _ done: Count, _ drain: @escaping @Sendable () async throws -> Void) async throws {
        let drained = Task {
            try await drain()
            return done.number
        }
        let canceller = Task {
            await Task.yield()
            drained.cancel()
        }
        switch await drained.result {
        case .success(let number):
            try pool.require(number == 1, "the drain ended early")
            ended.number += 1
        case .failure(let error):
            try pool.require(error is CancellationError, "\(error)")
            left.number += 1
        }
        await canceller.value
        try await drain()
        try pool.require(done.number == 1, "the queue was changed")
    }

    /// Whether there were schedules of both.
    var hasBoth: Bool { ended.number > 0 && left.number > 0 }
}
