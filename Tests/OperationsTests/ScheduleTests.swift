import SerialQueue
import Synchronization
import Testing

@testable import SerialQueueOperations

/// Cancelling, adding, dropping and finishing, in many orders. A seed decides what happens next: a call, or that one of three manual
/// pools runs; operations make calls, too. A failure names its seed, which repeats it.
@Suite struct ScheduleTests {
    /// What one operation did, and must not do.
    private struct Life {
        var predecessors: [Int] = []
        var runsAfterFailure = false
        var fails = false
        var starts = 0
        var hadEnded = true
        var wasCancelledBefore = false
    }

    /// One schedule: up to 24 operations on three queues.
    private final class Scene: @unchecked Sendable {
        var random: SeededNumbers
        let pools = [ManualPool(), ManualPool(), ManualPool()]
        var queues: [WorkOperationQueue?] = []
        var lives: [Life] = []
        var operations: [WorkOperation<Int>] = []
        var late: [Int] = []
        let released = Counter()
        var isEnding = false

        init(seed: UInt64) {
            random = SeededNumbers(seed: seed)
            queues = pools.map { WorkOperationQueue(label: "queue", width: number(3) + 1, on: $0) }
        }

        func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        /// What the closure of an operation does.
        func run(_ index: Int) throws -> Int {
            lives[index].starts += 1
            lives[index].hadEnded = lives[index].predecessors.allSatisfy { operations[$0].hasEnded }
            if number(4) == 0 { call() }
            if lives[index].fails { throw Broken() }
            return index
        }

        func call() {
            guard !isEnding else { return }
            switch number(10) {
            case 0...4: add()
            case 5, 6: cancel()
            case 7: if let queue = queues.randomElement(using: &random)!, number(4) == 0 { queue.cancelAll() }
            case 8: addLate()
            default: if number(6) == 0 { queues[number(3)] = nil }
            }
        }

        private func add() {
            let index = lives.count
            guard index < 24 else { return }
            var life = Life()
            life.fails = number(8) == 0
            life.runsAfterFailure = number(4) == 0
            let captured = Captured(releases: released), runs = life.runsAfterFailure ? EvenAfterFailure.evenAfterFailure : nil
            let operation = WorkOperation("\(index)", priority: OperationPriority.allCases[number(3)], runs: runs) {
                captured.touch()
                return try self.run(index)
            }
            for one in 0..<index where number(4) == 0 && (try? operation.add(dependency: operations[one])) != nil {
                life.predecessors.append(one)
            }
            lives.append(life)
            operations.append(operation)
            if number(4) > 0, let queue = queues[number(3)] { try! queue.add(operation) } else { late.append(index) }
        }

        private func cancel() {
            guard !operations.isEmpty else { return }
            let index = number(operations.count)
            operations[index].cancel()
            if lives[index].starts == 0 { lives[index].wasCancelledBefore = true }
        }

        func addLate() {
            guard let queue = queues.compactMap({ $0 }).first, let index = late.popLast() else { return }
            try! queue.add(operations[index])
        }
    }

    @Test(arguments: [0, 1, 2, 3]) func every_operation_ends_once_in_any_order(part: UInt64) {
        for seed in part * 1_000..<part * 1_000 + (isUnderSanitizer ? 100 : 1_000) {
            let scene = Scene(seed: seed)
            for _ in 1...60 {
                if scene.number(3) == 0 { scene.pools[scene.number(3)].run() } else { scene.call() }
            }
            scene.isEnding = true
            while !scene.late.isEmpty, scene.queues.contains(where: { $0 != nil }) { scene.addLate() }
            for index in scene.late { scene.operations[index].cancel() }
            var ran = 0
            repeat { ran = scene.pools.reduce(0) { $0 + $1.run() } } while ran > 0
            let progress = scene.queues.compactMap { $0?.progress }
            #expect(progress.filter { $0.finished != $0.total } == [], "seed \(seed)")
            for (index, life) in scene.lives.enumerated() {
                let operation = scene.operations[index]
                #expect(operation.hasEnded && life.starts <= 1 && life.hadEnded, "seed \(seed), operation \(index)")
                #expect(!(life.wasCancelledBefore && life.starts > 0), "seed \(seed), operation \(index)")
                let failed = life.predecessors.contains { (try? scene.operations[$0].result?.get()) == nil }
                switch operation.result {
                case .success(let value): #expect(value == index && (!failed || life.runsAfterFailure), "seed \(seed)")
                case .failure(let error): #expect(life.starts == 0 || error is Broken, "seed \(seed)")
                case nil: break
                }
            }
            #expect(scene.released.value == scene.lives.count, "seed \(seed)")
        }
    }

    /// The same races on real threads: cancel against the end of a predecessor, against the start, and against dropping the queue.
    @Test func cancel_finish_add_and_release_at_the_same_time() async {
        for round in 1...(isUnderSanitizer ? 50 : 300) {
            var queue: WorkOperationQueue? = WorkOperationQueue(label: "queue", width: 2, on: .shared)
            let ended = Counter(), released = Counter()
            var chain: [WorkOperation<Int>] = []
            for index in 0..<20 {
                let captured = Captured(releases: released)
                let body = { @Sendable (_: Int) -> Int in
                    captured.touch()
                    return index
                }
                if let last = chain.last {
                    chain.append(queue!.add(after: last) { value in body(value) })
                } else {
                    chain.append(queue!.add { body(0) })
                }
            }
            let all = chain
            let watch = Task {
                for one in all {
                    _ = try? await one.value
                    ended.increment()
                }
            }
            let cancelling = Task.detached { all[round % 20].cancel() }
            let other = Task.detached { all[(round * 7) % 20].cancel() }
            queue = nil
            await watch.value
            await cancelling.value
            await other.value
            #expect(ended.value == 20)
            chain = []
            let results = all.map { (try? $0.result?.get()) != nil }
            // What succeeded is the beginning of the chain.
            #expect(results == results.sorted { $0 && !$1 })
        }
    }
}

import Foundation

/// Whether ThreadSanitizer or AddressSanitizer watches: then what is repeated is repeated less often.
let isUnderSanitizer = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil
