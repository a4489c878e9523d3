import CSerialQueueTesting
import SerialQueue

extension ManualPool {
    /// The pool's clock, as Swift's `Clock`.
    ///
    /// <!-- given: let pool = ManualPool() -->
    /// ```swift
    /// try await Task.sleep(for: .seconds(1), clock: pool.clock)
    /// ```
    public var clock: PoolClock {
        PoolClock(manual: self)
    }

    /// Makes a decision for the test: what a network answers, which of several requests comes first.
    ///
    /// - Parameter count: How many answers there are. Traps if it is not positive.
    /// - Returns: A number below `count`; always 0 while the pool is not explored.
    public func choose(_ count: Int) -> Int {
        precondition(count > 0, "ManualPool.choose: the number of answers must be positive")
        return withExtendedLifetime(self) { sq_pool_choose(pool, count) }
    }

    /// Chooses one of `values`.
    ///
    /// - Returns: The first value while the pool is not explored. Traps if there is none.
    public func choose<Values: RandomAccessCollection>(from values: Values) -> Values.Element {
        values[values.index(values.startIndex, offsetBy: choose(values.count))]
    }

    /// Lets other tasks run here, if the schedule says so. Use it in synchronous code that waits by polling; an `await` does this anyway.
    ///
    /// No effect while the pool is not explored.
    public func `yield`() {
        withExtendedLifetime(self) { sq_pool_yield(pool) }
    }

    /// Fails the test if the condition does not hold.
    ///
    /// In a test that is explored, use this in place of `#expect` and `XCTAssert`, which don't end the run.
    ///
    /// - Throws: ``RequirementFailure`` with the message, the file and the line.
    public func require(
        _ condition: Bool, _ message: @autoclosure () -> String = "the requirement does not hold",
        fileID: String = #fileID, line: Int = #line
    ) throws {
        guard condition else { throw RequirementFailure(description: "\(fileID):\(line): \(message())") }
    }
}

/// A requirement of a test that did not hold.
public struct RequirementFailure: Error, CustomStringConvertible {
    /// Where, and which.
    public let description: String
}
