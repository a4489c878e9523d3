// BarrierIsolatedTests.swift: a value that several closures read at a time and a barrier changes alone.

import CTestSupport
import SerialQueue
import Testing

@Suite struct BarrierIsolatedTests {
    let queue = ConcurrentQueue(label: "readers")

    @Test func readers_run_at_the_same_time() {
        let number = BarrierIsolated(1, on: queue)
        let both = Guarded(0), inside = (Gate(), Gate())
        let other = TestThread {
            number.sync { value in
                inside.0.open()
                inside.1.pass()
                both.value += value
            }
        }
        number.sync { value in
            inside.0.pass()
            inside.1.open()
            #expect(value == 1)
        }
        other.join()
        #expect(both.value == 1)
    }

    @Test func barriers_change_the_value_in_order() async throws {
        let numbers = BarrierIsolated([Int](), on: queue)
        #expect(numbers.asyncBarrier { $0.append(1) })
        numbers.syncBarrier { $0.append(2) }
        try numbers.syncBarrier(within: .seconds(60)) { $0.append(3) }
        try await numbers.runBarrier { $0.append(4) }
        #expect(numbers.sync { $0 } == [1, 2, 3, 4])
        #expect(try numbers.sync(within: .seconds(60)) { $0.count } == 4)
        #expect(try await numbers.run { $0.count } == 4)
    }

    @Test func a_read_may_be_nested_in_a_read() {
        let number = BarrierIsolated(2, on: queue)
        #expect(number.sync { outer in number.sync { inner in outer * inner } } == 4)
    }

    /// Plain changes and reads from four threads: run it under ThreadSanitizer.
    @Test func barriers_exclude_readers_and_each_other() {
        let numbers = BarrierIsolated([Int](), on: queue)
        onThreads(4) { worker in
            for number in 0..<250 {
                switch (number + worker) % 4 {
                case 0: numbers.syncBarrier { $0.append(number) }
                case 1: numbers.asyncBarrier { $0.append(number) }
                default: #expect(numbers.sync { $0.count } <= 500)
                }
            }
        }
        #expect(numbers.syncBarrier { $0.count } == 500)
    }

    @Test func a_value_need_not_be_copyable() {
        struct Token: ~Copyable { var number: Int }
        let token = BarrierIsolated(Token(number: 1), on: queue)
        token.syncBarrier { $0.number += 1 }
        #expect(token.sync { $0.number } == 2)
    }

    @Test func an_upgrade_is_refused() throws {
        let number = BarrierIsolated(0, on: queue)
        try number.sync { _ in
            let error = #expect(throws: SerialQueueError.self) { try number.syncBarrier(within: .seconds(1)) { $0 += 1 } }
            guard case .deadlock = error else {
                Issue.record("it threw \(String(describing: error))")
                return
            }
        }
        #expect(number.sync { $0 } == 0)
    }

    @Test(.enabled(if: SwiftABI.isUsed, "the portable form allocates")) func a_read_and_a_barrier_allocate_nothing() {
        let number = BarrierIsolated(0, on: queue)
        func rounds(_ count: Int) {
            for step in 0..<count {
                number.syncBarrier { $0 += step }
                number.sync { precondition($0 >= 0) }
            }
        }
        rounds(10)
        allocation_probe_begin()
        rounds(1_000)
        #expect(allocation_probe_end() == 0)
    }
}
