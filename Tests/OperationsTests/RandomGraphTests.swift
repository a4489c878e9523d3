import SerialQueue
import Synchronization
import Testing

@testable import SerialQueueOperations

/// Random graphs over two queues, on the threads of the shared pool. The seed decides the graph and what is cancelled; the threads
/// decide the rest. A failure names its seed.
@Suite struct RandomGraphTests {
    /// What the oracle knows of one operation, without asking the library.
    private final class Life: Sendable {
        let predecessors: [Int]
        let starts = Atomic(0)
        /// Set by the closure itself, as its last act.
        let hasReturned = Atomic(false)

        init(predecessors: [Int]) {
            self.predecessors = predecessors
        }
    }

    private static let count = 500

    /// The value of each operation, if all of its predecessors succeed: its number plus their values.
    private static func expected(_ lives: [Life]) -> [Int] {
        var values: [Int] = []
        for (index, life) in lives.enumerated() {
            values.append(life.predecessors.reduce(index) { $0 &+ values[$1] })
        }
        return values
    }

    private static func lives(_ random: inout SeededNumbers) -> [Life] {
        (0..<count).map { index in
            var predecessors: Set<Int> = []
            for _ in 0..<Int.random(in: 0...3, using: &random) where index > 0 {
                predecessors.insert(Int.random(in: max(0, index - 40)..<index, using: &random))
            }
            return Life(predecessors: predecessors.sorted())
        }
    }

    /// Adds all operations to two queues, whose handles are released as soon as all are added.
    private static func add(_ lives: [Life], early: Set<Int>, _ random: inout SeededNumbers) -> [WorkOperation<Int>] {
        let queues = ["a", "b"].map { WorkOperationQueue(label: $0, width: Int.random(in: 1...3, using: &random)) }
        var operations: [WorkOperation<Int>] = []
        for (index, life) in lives.enumerated() {
            let predecessors = life.predecessors.map { operations[$0] }
            let priority = OperationPriority.allCases.randomElement(using: &random)!
            let queue = queues[Int.random(in: 0...1, using: &random)]
            let operation = queue.add("\(index)", after: predecessors, priority: priority) { values in
                life.starts.add(1, ordering: .relaxed)
                let isInOrder = life.predecessors.allSatisfy { lives[$0].hasReturned.load(ordering: .acquiring) }
                guard isInOrder else { throw Broken() }
                defer { life.hasReturned.store(true, ordering: .releasing) }
                return values.reduce(index, &+)
            }
            operations.append(operation)
            if early.contains(index) { operation.cancel() }
        }
        return operations
    }

    private static let rounds = isUnderSanitizer ? 10 : 40

    @Test(arguments: [0, 1, 2, 3] as [UInt64]) func each_operation_runs_once_after_its_predecessors(part: UInt64) throws {
        for seed in part * 1_000..<part * 1_000 + UInt64(Self.rounds) {
            var random = SeededNumbers(seed: seed)
            let lives = Self.lives(&random), expected = Self.expected(lives)
            let operations = Self.add(lives, early: [], &random)
            for (index, operation) in operations.enumerated().reversed() {
                #expect(try operation.wait() == expected[index], "seed \(seed), operation \(index)")
            }
            let starts = lives.map { $0.starts.load(ordering: .relaxed) }
            #expect(starts.allSatisfy { $0 == 1 }, "seed \(seed)")
        }
    }

    /// Some are cancelled while others are added, some by two threads while the graph runs.
    @Test(arguments: [0, 1, 2, 3] as [UInt64]) func what_is_cancelled_ends_what_depends_on_it(part: UInt64) {
        for seed in part * 1_000..<part * 1_000 + UInt64(Self.rounds) {
            var random = SeededNumbers(seed: seed)
            let lives = Self.lives(&random), expected = Self.expected(lives)
            let chosen = (0..<20).map { _ in Int.random(in: 0..<Self.count, using: &random) }
            let operations = Self.add(lives, early: Set(chosen[..<5]), &random)
            onThreads(2) { thread in
                for index in chosen[(5 + thread * 7)..<(12 + thread * 7)] { operations[index].cancel() }
            }
            for operation in operations { _ = try? operation.wait() }
            let isCancelled = Set(chosen)
            var succeeded: [Bool] = []
            for (index, life) in lives.enumerated() {
                let starts = life.starts.load(ordering: .relaxed), couldRun = life.predecessors.allSatisfy { succeeded[$0] }
                switch operations[index].result {
                case .success(let value):
                    #expect(starts == 1 && couldRun && value == expected[index], "seed \(seed), operation \(index)")
                    succeeded.append(true)
                case .failure(let error):
                    let isRight = starts == 0 && error is CancellationError && (!couldRun || isCancelled.contains(index))
                    #expect(isRight, "seed \(seed), operation \(index): \(error)")
                    succeeded.append(false)
                case nil:
                    Issue.record("seed \(seed): operation \(index) has not ended")
                    succeeded.append(false)
                }
            }
        }
    }
}
