import SerialQueue
import SerialQueueTesting

/// A log is closed while others write to it. Each line counts as written that was passed to `write`, or that was accepted.
extension Program {
    static let shutdownAgainstSubmit = Program(name: "shutdown against submit") { pool in
        try await check(pool) { log, line in
            log.write(line)
            return 1
        }
    } correct: { pool in
        try await check(pool) { log, line in log.write(line) ? 1 : 0 }
    }

    private static func check(_ pool: ManualPool, write: @escaping @Sendable (Log, String) -> Int) async throws {
        let log = Log(on: pool)
        async let first = Task { write(log, "hello") }.value
        async let second = Task { write(log, "world") }.value
        try await log.close()
        let reported = await first + second
        try pool.require(log.lines.count == reported, "\(reported) lines were reported, \(log.lines.count) were written")
    }

    /// Unchecked Sendable: the lines are only accessed on the queue, and after its end.
    private final class Log: @unchecked Sendable {
        private let queue: SerialQueue
        private(set) var lines: [String] = []

        init(on pool: WorkerPool) {
            queue = SerialQueue(label: "log", on: pool)
        }

        @discardableResult
        func write(_ line: String) -> Bool {
            queue.async { self.lines.append(line) }
        }

        func close() async throws {
            await Task.yield()
            try await queue.shutdown()
        }
    }
}
