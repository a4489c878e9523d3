import SerialQueue

/// A stream of what closures on a queue make, in their order. It ends behind the last of them, and at the first error.
final class Feed<Element: Sendable>: Sendable {
    let elements: AsyncThrowingStream<Element, any Error>
    private let continuation: AsyncThrowingStream<Element, any Error>.Continuation
    private let queue: SerialQueue

    init(label: String) {
        let queue = SerialQueue(label: label)
        self.queue = queue
        (elements, continuation) = AsyncThrowingStream.makeStream()
        continuation.onTermination = { _ in         // also when the task that reads is cancelled
            Task { try await queue.shutdown(.discard) }
        }
    }

    /// Returns `false` after the end.
    @discardableResult
    func add(_ make: sending @escaping () throws -> Element) -> Bool {
        queue.async { [continuation] in
            do { continuation.yield(try make()) } catch { continuation.finish(throwing: error) }
        }
    }

    /// Accepts nothing more, runs what was accepted, and ends the stream.
    func finish() async {
        do {
            try await queue.shutdown(.drain, within: .seconds(10))
            continuation.finish()
        } catch {
            continuation.finish(throwing: error)
        }
    }
}
