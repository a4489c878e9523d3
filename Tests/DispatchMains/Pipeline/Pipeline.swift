import SerialQueue

/// Passes what `produce` makes, until it returns nil or the first signal comes, to `consume`, on a queue on which at most `limit` wait.
/// Returns when all of it has been consumed.
func pipeline<Item: Sendable>(
    until ends: AsyncStream<CInt>, limit: Int,
    produce: @escaping @Sendable () async throws -> Item?, consume: @escaping @Sendable (Item) -> Void
) async throws {
    let queue = SerialQueue(label: "com.example.consumer", capacity: limit)
    let end = await withThrowingTaskGroup { group in
        group.addTask {
            while !Task.isCancelled, let item = try await produce() {
                // Suspended while the queue is full; in a task of its own, so that a signal does not lose the item.
                try await Task { try await queue.submit { consume(item) } }.value
            }
        }
        group.addTask { for await _ in ends { break } }
        defer { group.cancelAll() }
        return await group.nextResult()!
    }
    try await queue.shutdown(.drain, within: .seconds(10))
    try end.get()                                   // what `produce` threw
}
