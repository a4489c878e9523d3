import SerialQueue
import Testing

@testable import SerialQueueOperations

private func plus(_ number: Int) -> Int { number + 1 }
private func plusLater(_ number: Int) async throws -> Int { number + 1 }
private func join(_ number: Int, _ word: String) throws -> String { "\(word) \(number)" }
private func joinLater(_ number: Int, _ word: String) async -> String { "\(word) \(number)" }
private func joinAll(_ number: Int, _ word: String, _ last: Bool) -> String { "\(word) \(number) \(last)" }
private func joinAllLater(_ number: Int, _ word: String, _ last: Bool) async -> String { "\(word) \(number) \(last)" }
private func sum(_ numbers: [Int]) -> Int { numbers.reduce(0, +) }
private func sumLater(_ numbers: [Int]) async -> Int { numbers.reduce(0, +) }
private func failures(_ results: [Result<Int, any Error>]) -> Int { results.count { (try? $0.get()) == nil } }
private func word() -> String { "word" }

/// Each way to write `add`: the compiler must find it.
@Suite struct AddFormsTests {
    let pool = ManualPool()
    let queue: WorkOperationQueue
    let number: WorkOperation<Int>
    let text: WorkOperation<String>
    let flag: WorkOperation<Bool>
    let broken: WorkOperation<Int>

    init() {
        queue = WorkOperationQueue(label: "queue", width: 4, on: pool)
        number = queue.add("number") { 7 }
        text = queue.add("text", word)
        flag = queue.add("flag") { true }
        broken = queue.add("broken") { () throws -> Int in throw Broken() }
    }

    @Test func a_function_by_name_gets_the_values_of_its_predecessors() throws {
        let one = queue.add("one", after: number, plus), two = queue.add(after: number, text, join)
        let three = queue.add("three", after: number, text, flag, joinAll)
        let urgent = queue.add(after: number, text, priority: .high, join)
        pool.run()
        #expect(try one.result?.get() == 8)
        #expect(try two.result?.get() == "word 7")
        #expect(try three.result?.get() == "word 7 true")
        #expect(try urgent.result?.get() == "word 7")
    }

    @Test func an_async_function_by_name_gets_the_values_of_its_predecessors() throws {
        let one = queue.add(after: number, plusLater), two = queue.add("two", after: number, text, joinLater)
        let three = queue.add(after: number, text, flag, joinAllLater)
        pool.run()
        #expect(try one.result?.get() == 8)
        #expect(try two.result?.get() == "word 7")
        #expect(try three.result?.get() == "word 7 true")
    }

    /// A function of several predecessors ends as a closure does.
    @Test func a_failure_ends_a_function_by_name() {
        let one = queue.add(after: broken, plus), two = queue.add(after: broken, text, join)
        pool.run()
        #expect(throws: Broken.self) { try one.result?.get() }
        #expect(throws: Broken.self) { try two.result?.get() }
    }

    @Test func functions_by_name_get_an_array_of_values_or_results() throws {
        let now = queue.add(after: [number, number], sum), later = queue.add("later", after: [number], sumLater)
        let failed = queue.add(after: [number, broken], runs: .evenAfterFailure, failures)
        pool.run()
        #expect(try now.result?.get() == 14)
        #expect(try later.result?.get() == 7)
        #expect(try failed.result?.get() == 1)
    }

    @Test func closures_that_do_not_need_the_values_of_an_array() throws {
        let order = Record<String>(), numbers = [number, queue.add { 1 }]
        let now = queue.add(after: numbers) { order.append("now") }
        let later = queue.add("later", after: numbers, priority: .low) {
            await Task.yield()
            order.append("later")
        }
        let named = queue.add(after: numbers, word), never = queue.add(after: [broken]) { order.append("never") }
        #expect(order.all == [])
        pool.run()
        #expect(now.hasEnded && later.hasEnded && Set(order.all) == ["now", "later"])
        #expect(try named.result?.get() == "word")
        #expect(throws: Broken.self) { try never.result?.get() }
    }

    @Test func closures_that_do_not_need_the_results() throws {
        let ran = Counter()
        queue.add(after: broken, runs: .evenAfterFailure) { ran.increment() }
        queue.add("async", after: broken, text, runs: .evenAfterFailure) {
            await Task.yield()
            ran.increment()
        }
        queue.add(after: [number, broken], runs: .evenAfterFailure) { ran.increment() }
        queue.add(after: [number, broken], runs: .evenAfterFailure, priority: .high) {
            await Task.yield()
            ran.increment()
        }
        pool.run()
        #expect(ran.value == 4)
    }
}
