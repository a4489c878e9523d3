import SerialQueue
import SerialQueueTesting

/// A request ends with an answer or a timeout.
extension Program {
    static let timeoutAgainstAnswer = Program(name: "timeout against answer") { pool in
        try await check(pool) { $0.state = $1 }
    } correct: { pool in
        try await check(pool) { if $0.state == nil { $0.state = $1 } }
    }

    private static func check(
        _ pool: ManualPool, end: @escaping @Sendable (Request, Request.End) -> Void
    ) async throws {
        let request = Request()
        let client = SerialQueue(label: "client", on: pool), server = SerialQueue(label: "server", on: pool)
        let ends = WorkGroup(label: "ends")
        ends.enter()
        client.asyncAfter(.seconds(1)) {
            end(request, .timedOut)
            request.reported = request.reported ?? .timedOut
            ends.leave()
        }
        server.async(in: ends) {
            client.async(in: ends) {
                end(request, .answered)
                request.reported = request.reported ?? .answered
            }
        }
        try await ends.wait()
        try pool.require(request.state == .answered && request.reported == .answered || request.state == request.reported,
                         "the request was reported as one thing, and is another")
    }

    /// Unchecked Sendable: only accessed on the client's queue, and in the end.
    private final class Request: @unchecked Sendable {
        enum End { case answered, timedOut }
        var state: End?
        var reported: End?
    }
}
