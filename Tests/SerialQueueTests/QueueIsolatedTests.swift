// QueueIsolatedTests.swift: a value that belongs to a queue. What must not compile is in Tests/MustNotCompile/isolated_values.swift.

import CTestSupport
import SerialQueue
import Testing

/// A value that cannot be copied and is not Sendable.
private struct Till: ~Copyable {
    final class Receipt {
        let amount = 7
    }

    var amount = 0
    var receipts: [Receipt] = []
}

@Suite struct QueueIsolatedTests {
    let queue = SerialQueue(label: "owner")

    @Test func closures_get_the_value_in_the_queues_order() async throws {
        let numbers = QueueIsolated([Int](), on: queue)
        let holdup = Holdup { queue.async($0) }
        #expect(numbers.async { $0.append(1) })
        queue.async { [queue] in #expect(queue.isCurrent) }
        let second = Task { try await numbers.run { $0.append(2) } }
        await comesTrue { queue.depth == 3 }
        #expect(numbers.trySync { $0.append(0) } == nil)
        holdup.finish()
        try await second.value
        numbers.sync { $0.append(3) }
        try numbers.sync(within: .seconds(60)) { $0.append(4) }
        numbers.trySync { $0.append(5) }
        #expect(numbers.sync { $0 } == [1, 2, 3, 4, 5])
    }

    @Test func every_way_to_the_value_excludes_the_others() async {
        let numbers = QueueIsolated([Int](), on: queue)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for number in 0..<250 {
                        switch (number + worker) % 4 {
                        case 0: numbers.sync { $0.append(number) }
                        case 1: numbers.async { $0.append(number) }
                        case 2: try! numbers.sync(within: .seconds(900)) { $0.append(number) }
                        default: try! await numbers.run { $0.append(number) }
                        }
                    }
                }
            }
        }
        #expect(numbers.sync { $0.count } == 1_000)
    }

    @Test func errors_and_results_of_any_sendable_type_come_back() async throws {
        struct Failure: Error {}
        struct Token: ~Copyable, Sendable { let number: Int }
        let number = QueueIsolated(1, on: queue)
        #expect(throws: Failure.self) { try number.sync { (_) throws(Failure) in throw Failure() } }
        #expect(throws: Failure.self) { try number.sync(within: .zero) { _ in throw Failure() } }
        await #expect(throws: Failure.self) { try await number.run { _ in throw Failure() } }
        #expect(number.sync { Token(number: $0) }.number == 1)
        #expect(try await number.run { Token(number: $0) }.number == 1)
    }

    @Test func a_value_need_be_neither_copyable_nor_sendable() async throws {
        let till = QueueIsolated(Till(), on: queue)
        let receipt = Till.Receipt()
        till.async { $0.receipts.append(receipt) }
        till.sync { $0.amount += 1 }
        #expect(try await till.run { $0.amount + $0.receipts[0].amount } == 8)
    }

    @Test func a_refused_closure_does_not_run_and_is_released() async throws {
        let released = Counter()
        let number = QueueIsolated(0, on: queue)
        try await queue.shutdown()
        do {
            let captured = Captured(releases: released)
            #expect(!number.async { _ in captured.touch() })
        }
        #expect(released.value == 1)
        #expect(throws: SerialQueueError.self) { try number.sync(within: .zero) { $0 += 1 } }
        await #expect(throws: SerialQueueError.self) { try await number.run { $0 += 1 } }
        #expect(!number.asyncAfter(.zero) { $0 += 1 })
    }

    @Test func a_closure_and_the_value_are_released_on_the_queue_after_its_run() {
        let places = Guarded<[Bool]>([])
        let watched = { [queue] in Captured { places.value.append(queue.isCurrent) } }
        queue.suspend()  // until this function holds nothing of it
        do {
            let number = QueueIsolated(watched(), on: queue)
            let captured = watched()
            number.async { value in
                value.touch()
                captured.touch()
            }
        }
        queue.resume()
        queue.sync {}
        #expect(places.value == [true, true])
    }

    @Test func a_discarded_closure_is_released_and_does_not_run() throws {
        let released = Counter()
        let number = QueueIsolated(0, on: queue)
        let holdup = Holdup { queue.async($0) }
        do {
            let captured = Captured(releases: released)
            number.async { value in
                captured.touch()
                value += 1
            }
        }
        #expect(throws: SerialQueueError.self, "it is held up") { try queue.shutdown(.discard, within: .zero) }
        holdup.finish()
        try queue.shutdown(.discard)
        #expect(released.value == 1)
    }

    @Test func delays_and_timers_get_the_value() {
        let pool = ManualPool()
        let number = QueueIsolated(0, on: SerialQueue(label: "later", on: pool))
        number.asyncAfter(.seconds(1)) { $0 += 1 }
        let timer = number.makeTimer { $0 += 10 }
        timer.start(after: .seconds(2), every: .seconds(2))
        pool.advance(by: .seconds(5))
        #expect(number.sync { $0 } == 21)
        timer.cancel()
    }

    @Test func a_cancelled_run_does_not_touch_the_value() async {
        let number = QueueIsolated(0, on: queue)
        let holdup = Holdup { queue.async($0) }
        let task = Task { try await number.run { $0 += 1 } }
        await comesTrue { queue.depth == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        holdup.finish()
        #expect(number.sync { $0 } == 0)
    }

    @Test func a_sync_from_the_queue_itself_is_refused_by_name() async throws {
        let child = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let number = QueueIsolated(0, on: SerialQueue(label: "com.example.number"))
            number.sync { _ in number.sync { $0 += 1 } }
        }
        #expect(child.said("\"com.example.number\""))
    }

    @Test(.enabled(if: SwiftABI.isUsed, "the portable form allocates")) func a_sync_allocates_nothing() {
        let number = QueueIsolated(0, on: queue)
        func rounds(_ count: Int) throws {
            for step in 0..<count {
                number.sync { $0 += step }
                try number.sync(within: .seconds(60)) { $0 += step }
                number.trySync { $0 += step }
            }
        }
        try! rounds(10)
        allocation_probe_begin()
        try! rounds(1_000)
        #expect(allocation_probe_end() == 0)
    }

    /// The closure's own context, and what holds it with the value.
    @Test(.enabled(if: SwiftABI.isUsed, "the portable form allocates")) func an_async_allocates_once_next_to_its_closure() {
        let number = QueueIsolated(0, on: queue), captured = Captured {}, counter = Counter()
        func round() {
            number.async { value in
                captured.touch()
                counter.increment()
                value += 1
            }
            queue.sync {}
        }
        for _ in 0..<10 { round() }
        allocation_probe_begin()
        for _ in 0..<1_000 { round() }
        let count = allocation_probe_end()
        #expect(count >= 2_000, "the probe must see both")
        #expect(count <= 2_000 + 50)
    }

    @Test func reflecting_does_not_read_the_value() {
        var text = ""
        dump(QueueIsolated(Till(amount: 987_654_321_987), on: queue), to: &text)
        dump(QueueIsolated("secret", on: queue), to: &text)
        dump(BarrierIsolated("secret", on: ConcurrentQueue(label: "readers")), to: &text)
        #expect(text.contains("QueueIsolated"))
        #expect(text.contains("BarrierIsolated"))
        #expect(!text.contains("secret") && !text.contains("987654321987"))
    }
}
