import SerialQueue
import Testing

@testable import SerialQueueOperations

struct Broken: Error, Equatable {}

/// Values, errors, and late operations. On a manual pool, so that each test decides when something runs.
@Suite struct WorkOperationTests {
    let pool = ManualPool()
    let queue: WorkOperationQueue

    init() {
        queue = WorkOperationQueue(label: "queue", width: 4, on: pool)
    }

    @Test func values_flow_from_operation_to_operation() throws {
        let seven = queue.add("seven") { 7 }
        let word = queue.add("word") { "times" }
        let text = queue.add("text", after: seven, word) { number, word in "\(word) \(number)" }
        let length = queue.add("length", after: text, priority: .high) { text async throws in
            await Task.yield()
            return text.count
        }
        #expect(length.result == nil && !length.hasEnded)
        pool.run()
        #expect(try length.result?.get() == 7)
        #expect(try text.result?.get() == "times 7")
        #expect(length.hasEnded && !length.isCancelled)
    }

    @Test func an_array_of_predecessors_gives_an_array_of_values() throws {
        let numbers = (1...100).map { number in queue.add { number } }
        let sum = queue.add(after: numbers) { numbers in numbers.reduce(0, +) }
        let later = queue.add(after: numbers) { numbers async in numbers == Array(1...100) }
        pool.run()
        #expect(try sum.result?.get() == 5050)
        #expect(try later.result?.get() == true)
    }

    @Test func a_failure_ends_what_depends_on_it() {
        let broken = queue.add("broken") { () throws -> Int in throw Broken() }
        let ran = Record<String>()
        let next = queue.add("next", after: broken) { number in ran.append("next") }
        let last = queue.add("last", after: next, queue.add { 1 }) { _, _ in ran.append("last") }
        pool.run()
        #expect(throws: Broken.self) { try last.wait() }
        #expect(throws: Broken.self) { try next.wait() }
        #expect(throws: Broken.self) { try queue.add(after: broken) { _ in ran.append("added later") }.wait() }
        #expect(ran.all == [])
        #expect(queue.progress == WorkProgress(finished: 5, total: 5))
    }

    @Test func even_after_failure_the_closure_gets_results() throws {
        let broken = queue.add("broken") { () throws -> Int in throw Broken() }
        let one = queue.add("one") { 1 }
        let both = queue.add("both", after: broken, one, runs: .evenAfterFailure) { broken, one in
            (try? broken.get()) == nil ? (try! one.get()) : 0
        }
        let array = queue.add("array", after: [broken, one], runs: .evenAfterFailure) { results async in
            results.map { (try? $0.get()) ?? 0 }
        }
        pool.run()
        #expect(try both.result?.get() == 1)
        #expect(try array.result?.get() == [0, 1])
        let later = queue.add("later", after: broken, runs: .evenAfterFailure) { $0 }
        pool.run()
        #expect(throws: Broken.self) { try later.result?.get().get() }
    }

    @Test func late_operations_take_dependencies_until_they_are_added() throws {
        let order = Record<String>()
        let late = WorkOperation("late") { order.append("late") }
        let other = WorkOperationQueue(label: "other", width: 1, on: pool)
        let first = other.add("first") { order.append("first") }
        try late.add(dependency: first)
        try queue.add(late)
        pool.run()
        #expect(order.all == ["first", "late"])
        #expect(throws: WorkOperationError.alreadyAdded("late")) { try late.add(dependency: first) }
        #expect(throws: WorkOperationError.alreadyAdded("late")) { try queue.add(late) }
    }

    @Test func a_late_operation_ends_with_its_dependency() throws {
        let broken = queue.add("broken") { () throws -> Int in throw Broken() }
        let late = WorkOperation("late") { 1 }
        try late.add(dependency: broken)
        let even = WorkOperation("even", runs: .evenAfterFailure) { 2 }
        try even.add(dependency: broken)
        pool.run()
        #expect(throws: Broken.self) { try late.result?.get() }
        #expect(even.result == nil)
        try queue.add(late)
        try queue.add(even)
        pool.run()
        #expect(try even.result?.get() == 2)
        #expect(queue.progress == WorkProgress(finished: 3, total: 3))
    }

    @Test func an_operation_that_nobody_can_add_any_more_is_cancelled() {
        var late: WorkOperation<Int>? = WorkOperation("late") { 1 }
        let next = queue.add("next", after: late!) { $0 }
        pool.run()
        #expect(!next.hasEnded)
        late = nil
        #expect(throws: CancellationError.self) { try next.result?.get() }
    }
}
