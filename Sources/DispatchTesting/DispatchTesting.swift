import CTaskHook
import SerialQueue
import SerialQueueDispatch
import Synchronization

/// Runs a program with Dispatch's names on a pool that a test controls.
///
/// ```swift
/// try await exploreSchedules { pool in
///     try await DispatchTesting.run(on: pool) {
///         try await program()
///     }
/// }
/// ```
public enum DispatchTesting {
    /// Runs `body`. Each `DispatchQueue` that it makes, `.main`, `.global()` and timers are on `pool`.
    ///
    /// The same holds in closures on these queues, also if they are submitted from outside, and in tasks that inherit task-local values.
    /// Other tests at the same time are not affected. A queue that was made before stays where it is.
    ///
    /// A closure on `.main` runs on whichever thread runs the pool. Swift's check for the main actor holds there, so `@MainActor` functions can be
    /// called; tasks of the main actor itself run on the real one.
    ///
    /// The pool's clock counts each delay. If the module's `Moved.swift` has `now()`, a deadline from `.now()` is a time of that clock. Any other
    /// deadline means the delay from the real time of the call, rounded up to milliseconds: a slow machine may then change which of two timers
    /// fires first.
    ///
    /// Time limits of waits use the real clock. A wait for a semaphore, a group or an item runs what the pool has ready; one without a limit for
    /// which that is not enough ends the program after 20 seconds.
    ///
    /// - Throws: What `body` throws.
    public nonisolated(nonsending) static func run<Result>(
        on pool: ManualPool, _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        begin()
        return try await Home.$ofTest.withValue(Home(on: pool)) { try await body() }
    }

    /// The same for synchronous code. Run the pool in `body`.
    ///
    /// - Throws: What `body` throws.
    public static func run<Result, Failure: Error>(
        on pool: ManualPool, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        begin()
        var outcome: Swift.Result<Result, Failure>?
        Home.$ofTest.withValue(Home(on: pool)) { outcome = Swift.Result { () throws(Failure) in try body() } }
        return try outcome!.get()
    }

    private static func begin() {
        Home.hasTests.store(true, ordering: .relaxed)
        _ = hasCheck
    }

    private static let hasCheck: Void = sq_main_actor_check_extend { Home.isOnMainOfTest }
}
