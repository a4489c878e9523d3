// OperationScenarios.swift: operations with dependencies. Names: ../../../driver/rows.py.

import CHarness
import Synchronization

/// What the operations of a scenario do: they count, from any thread.
final class OperationCounter: Sendable {
    private let counted = Atomic(0)

    var value: Int { counted.load(ordering: .acquiring) }

    @inline(__always) func up() { counted.add(1, ordering: .relaxed) }
}

/// What is measured. Each call returns when all operations have ended.
protocol OperationContender: Sendable {
    init()

    /// `count` operations without dependencies.
    func independent(_ count: Int, counting: OperationCounter)
    /// A chain, of which the last operation is added first. `false`: there is no such thing.
    func chain(_ count: Int, counting: OperationCounter) -> Bool
    /// Operations that depend on others of lower number; the dependencies are added in the order given, then the operations.
    func graph(_ count: Int, _ dependencies: [(Int, Int)], counting: OperationCounter) -> Bool
    /// Keeps `count` operations waiting until `open` was called on what it returns.
    func hold(_ count: Int, counting: OperationCounter) -> (any HeldOperations)?
}

protocol HeldOperations {
    /// Has the operations run, and waits for them.
    func open()
}

func operationScenarios<C: OperationContender>(of _: C.Type) -> [String: Scenario] {
    [
        "operations": { _ in measureOperations(C.self, batch: 10_000) { $0.independent($1, counting: $2); return true } },
        "operations-chain": { count in measureOperations(C.self, batch: count) { $0.chain($1, counting: $2) } },
        "operations-graph": { count in
            let dependencies = randomDependencies(count)
            measureOperations(C.self, batch: count) { $0.graph($1, dependencies, counting: $2) }
        },
        "operations-pending": { pendingOperations(C.self, $0) },
    ]
}

/// Batches for 0.3 s, after one that warms up; at least one.
private func measureOperations<C: OperationContender>(
    _: C.Type, batch: Int, _ run: (C, Int, OperationCounter) -> Bool
) {
    let contender = C(), counter = OperationCounter()
    let end = bench_now() + bench_duration(600_000_000)
    guard run(contender, batch, counter) else { return bench_not_applicable("it has no such thing") }
    var meter = bench_meter_t(), done = 0
    bench_start(&meter)
    repeat {
        _ = run(contender, batch, counter)
        done += batch
    } while bench_now() < end
    bench_stop(&meter, UInt64(done))
    bench_expect("operations that ran", UInt64(counter.value), UInt64(done + batch))
    bench_report(&meter)
}

/// Each operation but the first ones depends on three others of lower number, any of them; all of that in a random order.
private func randomDependencies(_ count: Int) -> [(Int, Int)] {
    var state: UInt64 = 42
    func random(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }
    var all: [(Int, Int)] = []
    for operation in 3..<count {
        for _ in 0..<3 { all.append((operation, random(operation))) }
    }
    for index in all.indices.dropFirst() { all.swapAt(index, random(index)) }
    return all
}

/// The heap's bytes for each operation that waits.
private func pendingOperations<C: OperationContender>(_: C.Type, _ count: Int) {
    let contender = C(), counter = OperationCounter()
    contender.independent(count, counting: counter)
    let before = bench_heap_bytes()
    guard let held = contender.hold(count, counting: counter) else { return bench_not_applicable("it has no such thing") }
    bench_metric("heap", Double(Int64(bench_heap_bytes()) - Int64(before)) / Double(count))
    held.open()
    bench_expect("operations that ran", UInt64(counter.value), UInt64(2 * count))
}
