// Contender.swift: what a queue has to be able to do in order to be measured, and what its closures capture.

import CHarness

/// A queue under test. Each method is a loop around the call that a user would write, with a literal closure: a wrapper
/// that takes a closure and passes it on would cost `DispatchQueue` a second allocation for its block.
protocol Contender: Sendable {
    static var name: String { get }
    init()

    /// `async` of `count` closures, each of which counts up.
    func submit(_ count: Int, counting: Countdown)
    /// `sync` of `count` closures, each of which counts up.
    func synchronize(_ count: Int, counting: Countdown)
    /// `sync` of `count` closures that return a value; the sum of the values.
    func read(_ count: Int, from: Countdown) -> Int
    /// `count` times: `asyncs` async, then one `sync`.
    func mix(_ count: Int, asyncs: Int, counting: Countdown)
}

/// What the closures of a scenario count with.
///
/// Sendable because only tasks of the queue under test touch `counted`, one at a time.
final class Countdown: @unchecked Sendable {
    var counted = 0
    var target = 0
    let gate = bench_gate_create()!

    @inline(__always) func up() {
        counted += 1
    }

    @inline(__always) func upAndOpen() {
        counted += 1
        if counted == target {
            bench_gate_open(gate)
        }
    }
}
