// Many pieces of work on a pool, at most four at a time, and one result: the prime numbers below PIECES * 100,000.
// Examples/README.md says what it prints. Examples/c/fanin.c is the same in C.
//
// Each piece is a task that takes a permit of a semaphore, which blocks no thread, and then runs as a work item on the pool. At
// Ctrl-C the tasks are cancelled: those that wait for a permit leave the line at once, and those that have one cancel their item,
// which asks for that and returns early.

import Foundation
import SerialQueue
import Synchronization

@main struct FanIn {
    private static let atATime = 4
    private static let pool = WorkerPool(label: "com.example.fanin", threads: 2 * atATime)  // the semaphore is the bound
    private static let permits = Semaphore(label: "at a time", value: atATime)
    private static let running = Running()

    static func main() async {
        let count = pieceCount(CommandLine.arguments.dropFirst())
        let counting = Task { await countAll(count) }
        let interrupts = onInterrupt { counting.cancel() }
        let found = await counting.value
        interrupts.cancel()
        exit(report(found, of: count, wasCancelled: counting.isCancelled))
    }

    /// The primes of each piece that was counted to its end.
    private static func countAll(_ count: Int) async -> [Int] {
        await withTaskGroup(of: Int?.self) { group in
            for number in 0..<count {
                group.addTask {
                    try? await permits.withPermit { try await primes(in: Piece(number)) }
                }
            }
            var found: [Int] = [], ended = 0
            for await primes in group {
                ended += 1
                drawBar(ended, of: count)
                if let primes { found.append(primes) }
            }
            return found
        }
    }

    /// Runs on the pool; the caller is suspended until it has ended. `nil`: not counted to the end.
    private static func primes(in piece: Piece) async throws -> Int? {
        let primes = Mutex<Int?>(nil)
        let item = WorkItem(label: "piece") { item in
            running.begin()
            let found = piece.countPrimes { item.isCancelled }
            primes.withLock { $0 = found }
            running.end()
        }
        SerialQueue(label: "com.example.piece", on: pool).async(item)  // a queue for itself: pieces run at the same time
        do {
            _ = try await item.outcome
        } catch {
            item.cancel()  // here, not in a cancellation handler: see its documentation
            _ = await Task { try await item.outcome }.result  // it may still run; until then it keeps the permit
            throw error
        }
        return primes.withLock { $0 }
    }

    /// Returns the exit status.
    private static func report(_ found: [Int], of count: Int, wasCancelled: Bool) -> CInt {
        let primes = found.reduce(0, +), most = running.most
        let line = "\(primes) primes in \(found.count) of \(count) pieces, at most \(most) at a time"
        do {
            let text = wasCancelled ? line + ", cancelled\n" : line + "\n"
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        } catch {
            complain("the output cannot be written: \(error)")
            return 1
        }
        if wasCancelled { return 128 + SIGINT }
        let expected = sieve(below: count * Piece.size)
        if found.count == count && most <= atATime && primes == expected { return 0 }
        complain("wrong: the sieve counts \(expected)")
        return 1
    }
}

/// How many pieces run at a time.
private final class Running: Sendable {
    private let now = Atomic(0), highest = Atomic(0)

    var most: Int { highest.load(ordering: .relaxed) }

    func begin() {
        highest.max(now.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
    }

    func end() {
        now.subtract(1, ordering: .relaxed)
    }
}
