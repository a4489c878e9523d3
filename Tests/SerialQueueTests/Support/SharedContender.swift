import Dispatch
import SerialQueue
import Testing

/// What a concurrent DispatchQueue and ConcurrentQueue have in common: one body tests both.
protocol SharedQueue: AnyObject, Sendable {
    var label: String { get }

    func submit(_ body: @escaping @Sendable () -> Void)
    func submitBarrier(_ body: @escaping @Sendable () -> Void)
    func perform<Result>(_ body: () throws -> Result) rethrows -> Result
    func performBarrier<Result>(_ body: () throws -> Result) rethrows -> Result
}

extension DispatchQueue: SharedQueue {
    func submitBarrier(_ body: @escaping @Sendable () -> Void) {
        async(flags: .barrier, execute: body)
    }

    func performBarrier<Result>(_ body: () throws -> Result) rethrows -> Result {
        try sync(flags: .barrier, execute: body)
    }
}

extension ConcurrentQueue: SharedQueue {
    func submit(_ body: @escaping @Sendable () -> Void) {
        async(body)
    }

    func submitBarrier(_ body: @escaping @Sendable () -> Void) {
        asyncBarrier(body)
    }

    func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
        try sync(body)
    }

    func performBarrier<Result>(_ body: () throws -> Result) rethrows -> Result {
        try syncBarrier(body)
    }
}

/// Whose concurrent queue a parity test runs on.
enum SharedContender: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case dispatch = "DispatchQueue"
    case ours = "ConcurrentQueue"

    var testDescription: String { rawValue }

    func queue(_ label: String = "parity") -> any SharedQueue {
        switch self {
        case .dispatch: DispatchQueue(label: label, attributes: .concurrent)
        case .ours: ConcurrentQueue(label: label)
        }
    }
}
