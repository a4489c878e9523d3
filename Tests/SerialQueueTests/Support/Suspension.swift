import SerialQueue
import Testing

/// As `eventually`, for async tests: it suspends its caller, and blocks no thread, because the condition may need that thread.
func comesTrue(
    isolation: isolated (any Actor)? = #isolation,
    _ location: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) async {
    let deadline = ContinuousClock.now + .seconds(hangSeconds)
    while !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("it never came true", sourceLocation: location)
            return
        }
        try? await Task.sleep(for: .milliseconds(1))
    }
}

/// A gate that counts how many tasks have come to it.
final class Stopover: Sendable {
    private let gate = AsyncGate()
    private let arrivals = Counter()

    var arrived: Int { arrivals.value }

    func open() {
        gate.open()
    }

    func pass(isolation: isolated (any Actor)? = #isolation) async {
        arrivals.increment()
        await gate.pass()
    }
}

/// An actor on a queue, which it shares with the test.
actor Store {
    nonisolated let queue: SerialQueue
    var entries: [Int] = []

    init(_ queue: SerialQueue) {
        self.queue = queue
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    func add(_ entry: Int) {
        entries.append(entry)
    }

    /// Suspended in the middle.
    func add(_ entry: Int, past gate: Stopover, then last: Int) async {
        entries.append(entry)
        await gate.pass()
        entries.append(last)
    }

    func perform<Result: Sendable>(_ body: @Sendable (isolated Store) async throws -> Result) async rethrows -> Result {
        try await body(self)
    }
}

/// Adds without a suspension; not for async functions to write out themselves.
func assumed(_ store: Store, _ entry: Int) {
    store.assumeIsolated { $0.entries.append(entry) }
}
