import CSerialQueue
import Testing

@testable import SerialQueue

/// Durations of every size on their way to C's clock.
@Suite struct DeadlineTests {
    static let notPositive = [Duration.zero, .nanoseconds(-1), .seconds(-1), .seconds(Int64.min), .seconds(Int64.min) * 8]
    static let huge = [
        Duration.nanoseconds(Int64.max) * 2, .seconds(18_446_744_073), .seconds(Int64.max),
        .seconds(Int64.max) * 8,  // more seconds than Duration.components can hold
    ]

    @Test func nanoseconds_are_whole_ones() {
        #expect(nanoseconds(.nanoseconds(1)) == 1)
        #expect(nanoseconds(.nanoseconds(1.9)) == 1)
        #expect(nanoseconds(.nanoseconds(0.5)) == 0)
        #expect(nanoseconds(.seconds(3) + .nanoseconds(7)) == 3_000_000_007)
        #expect(nanoseconds(.seconds(18_446_744_072) + .nanoseconds(999_999_999)) == 18_446_744_072_999_999_999)
    }

    @Test(arguments: notPositive)
    func a_duration_that_is_not_positive_is_over(_ duration: Duration) {
        #expect(nanoseconds(duration) == 0)
        #expect(deadline(duration) == 1, "not 0: then C would not wait at all")
    }

    @Test(arguments: huge)
    func a_duration_beyond_the_clock_is_without_limit(_ duration: Duration) {
        #expect(nanoseconds(duration) >= UInt64.max - 1_000_000_000)
        #expect(deadline(duration) == .max)
    }

    @Test func no_duration_is_without_limit() {
        #expect(deadline(nil) == .max)
    }

    @Test func a_deadline_lies_so_far_ahead() {
        let before = sq_deadline(0)
        let found = deadline(.seconds(1000))
        let after = sq_deadline(0)
        #expect(found >= before + 1_000_000_000_000)
        #expect(found <= after + 1_000_000_000_000)
        #expect(deadline(.nanoseconds(0.5)) >= before, "less than a nanosecond is none")
    }

    @Test(arguments: notPositive)
    func calls_with_a_limit_that_is_over_do_not_wait(_ limit: Duration) throws {
        let queue = SerialQueue(label: "over", capacity: 1)
        let holdup = Holdup { queue.async($0) }
        queue.async {}
        #expect(throws: SerialQueueError.timedOut) { try queue.sync(within: limit) {} }
        #expect(throws: SerialQueueError.timedOut) { try queue.runAndWait(within: limit) {} }
        #expect(throws: SerialQueueError.timedOut) { try queue.async(waitingUpTo: limit) {} }
        #expect(throws: SerialQueueError.timedOut) { try queue.shutdown(within: limit) }
        holdup.finish()
        try queue.shutdown()
    }

    @Test(arguments: huge)
    func calls_with_a_huge_limit_wait(_ limit: Duration) throws {
        let queue = SerialQueue(label: "patient", capacity: 1)
        let seen = Guarded(0)
        let holdup = Holdup { queue.async($0) }
        queue.async { seen.value += 1 }
        let waiters = (0..<3).map { kind in
            TestThread {
                #expect(throws: Never.self) {
                    switch kind {
                    case 0: try queue.sync(within: limit) { seen.value += 1 }
                    case 1: try queue.runAndWait(within: limit) { seen.value += 1 }
                    default: try queue.async(waitingUpTo: limit) { seen.value += 1 }
                    }
                }
            }
        }
        eventually { queue.depth == 3 }  // The third waits for room, outside.
        holdup.finish()
        waiters.forEach { $0.join() }
        try queue.shutdown(within: limit)
        #expect(seen.value == 4)
    }
}
