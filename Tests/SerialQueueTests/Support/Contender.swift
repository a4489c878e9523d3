import Dispatch
import SerialQueue
import Testing

/// What the queues of Dispatch and ours have in common: one body tests both.
protocol AnyQueue: AnyObject, Sendable {
    var label: String { get }

    func submit(_ body: @escaping @Sendable () -> Void)
    func perform<Result>(_ body: () throws -> Result) rethrows -> Result
}

/// What a concurrent DispatchQueue and a ConcurrentQueue have besides.
protocol AnyConcurrentQueue: AnyQueue {
    func submitBarrier(_ body: @escaping @Sendable () -> Void)
    func performBarrier<Result>(_ body: () throws -> Result) rethrows -> Result
}

extension DispatchQueue: AnyConcurrentQueue {
    func submit(_ body: @escaping @Sendable () -> Void) {
        async(execute: body)
    }

    func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
        try sync(execute: body)
    }

    func submitBarrier(_ body: @escaping @Sendable () -> Void) {
        async(flags: .barrier, execute: body)
    }

    func performBarrier<Result>(_ body: () throws -> Result) rethrows -> Result {
        try sync(flags: .barrier, execute: body)
    }
}

extension WorkQueue: AnyQueue {
    func submit(_ body: @escaping @Sendable () -> Void) {
        async(body)
    }

    func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
        try sync(body)
    }
}

extension ConcurrentQueue: AnyConcurrentQueue {
    func submitBarrier(_ body: @escaping @Sendable () -> Void) {
        asyncBarrier(body)
    }

    func performBarrier<Result>(_ body: () throws -> Result) rethrows -> Result {
        try syncBarrier(body)
    }
}

/// The library that a parity test runs on.
enum Contender: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case dispatch = "Dispatch"
    case ours = "SerialQueue"

    var testDescription: String { rawValue }

    func queue(_ label: String = "parity") -> any AnyQueue {
        switch self {
        case .dispatch: DispatchQueue(label: label)
        case .ours: SerialQueue(label: label)
        }
    }

    func concurrentQueue(_ label: String = "parity") -> any AnyConcurrentQueue {
        switch self {
        case .dispatch: DispatchQueue(label: label, attributes: .concurrent)
        case .ours: ConcurrentQueue(label: label)
        }
    }
}
