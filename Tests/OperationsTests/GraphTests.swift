import SerialQueue
import Testing

@testable import SerialQueueOperations

/// Cycles, and what it costs to find them. Serialized: `OperationGraph.steps` is the process's.
@Suite(.serialized) struct GraphTests {
    private func chain(_ count: Int) -> [WorkOperation<Int>] {
        (0..<count).map { number in WorkOperation("\(number)") { number } }
    }

    /// How many operations were looked at in search of a cycle.
    private func steps(_ body: () throws -> Void) rethrows -> Int {
        let before = OperationGraph.look { OperationGraph.steps }
        try body()
        return OperationGraph.look { OperationGraph.steps } - before
    }

    /// The cycle that the dependency would have closed; `nil`: it was added.
    private func refusedPath(_ operation: WorkOperation<Int>, _ dependency: WorkOperation<Int>) -> [String]? {
        do { try operation.add(dependency: dependency) } catch {
            if case .cycle(let path) = error { return path }
        }
        return nil
    }

    @Test func an_operation_that_depends_on_itself() {
        let one = WorkOperation("one") { 1 }
        #expect(throws: WorkOperationError.cycle(["one", "one"])) { try one.add(dependency: one) }
    }

    @Test func a_cycle_is_refused_with_its_path() throws {
        let all = chain(5)
        for index in 1..<5 { try all[index].add(dependency: all[index - 1]) }
        let error = WorkOperationError.cycle(["0", "4", "3", "2", "1", "0"])
        #expect(throws: error) { try all[0].add(dependency: all[4]) }
        #expect(error.description.hasPrefix(#"A cycle of operations: "0" depends on "4" depends on "3" depends on "2""#))
        // Nothing has changed: they can be added and run.
        let pool = ManualPool(), queue = WorkOperationQueue(label: "queue", width: 1, on: pool)
        for one in all.reversed() { try queue.add(one) }
        pool.run()
        #expect(try all[4].wait() == 4)
    }

    /// An operation of a queue can be part of a cycle, too, if it depends on one that is in none.
    @Test func a_cycle_through_a_queue() throws {
        let pool = ManualPool(), queue = WorkOperationQueue(label: "queue", width: 1, on: pool)
        let late = WorkOperation("late") { 1 }
        let added = queue.add("added", after: late) { $0 }
        #expect(throws: WorkOperationError.cycle(["late", "added", "late"])) { try late.add(dependency: added) }
        try queue.add(late)
        pool.run()
        #expect(try added.wait() == 1)
    }

    @Test(arguments: [false, true]) func a_chain_is_added_without_a_search(backwards: Bool) throws {
        let all = chain(4_000)
        let looked = try steps {
            for index in backwards ? Array((1..<4_000).reversed()) : Array(1..<4_000) {
                try all[index].add(dependency: all[index - 1])
            }
        }
        #expect(looked == 0)
        for one in all { one.cancel() }
    }

    /// A tree, from the leaves and from the root.
    @Test(arguments: [false, true]) func a_tree_is_added_without_a_search(backwards: Bool) throws {
        let all = chain(4_095)
        let looked = try steps {
            for index in backwards ? Array((1..<4_095).reversed()) : Array(1..<4_095) {
                try all[index].add(dependency: all[(index - 1) / 2])
            }
        }
        #expect(looked == 0)
        for one in all { one.cancel() }
    }

    /// Random dependencies, compared with a search that looks at everything.
    @Test(arguments: 1...20) func random_dependencies_are_refused_if_and_only_if_they_close_a_cycle(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let count = 30, all = chain(count)
        var depends = [Set<Int>](repeating: [], count: count)
        func reaches(_ from: Int, _ to: Int) -> Bool {
            var seen: Set<Int> = [from], open = [from]
            while let one = open.popLast() {
                if one == to { return true }
                for next in depends[one] where seen.insert(next).inserted { open.append(next) }
            }
            return false
        }
        for _ in 1...300 {
            let operation = Int.random(in: 0..<count, using: &random), dependency = Int.random(in: 0..<count, using: &random)
            guard let path = refusedPath(all[operation], all[dependency]) else {
                #expect(!reaches(dependency, operation))
                depends[operation].insert(dependency)
                continue
            }
            #expect(reaches(dependency, operation))
            let numbers = path.map { Int($0)! }
            #expect(numbers.first == operation && numbers.dropFirst().first == dependency && numbers.last == operation)
            let isPath = zip(numbers.dropFirst(), numbers.dropFirst(2)).allSatisfy { depends[$0].contains($1) }
            #expect(isPath)
        }
        let pool = ManualPool(), queue = WorkOperationQueue(label: "queue", width: 3, on: pool)
        for one in all.shuffled(using: &random) { try queue.add(one) }
        pool.run()
        #expect(all.filter { !$0.hasEnded } == [])
    }

    /// Two threads close one cycle: exactly one of them is refused.
    @Test func two_threads_close_one_cycle() {
        for _ in 1...500 {
            let one = WorkOperation("one") { 1 }, two = WorkOperation("two") { 2 }, refused = Counter()
            onThreads(2) { index in
                do {
                    if index == 0 { try one.add(dependency: two) } else { try two.add(dependency: one) }
                } catch {
                    refused.increment()
                }
            }
            #expect(refused.value == 1)
        }
    }
}

/// A linear congruential generator: the same numbers in each run.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15
    }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}
