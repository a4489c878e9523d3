import Dispatch
import SerialQueue
import Testing

/// What DispatchQueue and SerialQueue have in common: one body tests both.
protocol OrderedQueue: AnyObject, Sendable {
    var label: String { get }

    func submit(_ body: @escaping @Sendable () -> Void)
    func perform<Result>(_ body: () throws -> Result) rethrows -> Result
}

extension DispatchQueue: OrderedQueue {
    func submit(_ body: @escaping @Sendable () -> Void) {
        async(execute: body)
    }

    func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
        try sync(execute: body)
    }
}

extension SerialQueue: OrderedQueue {
    func submit(_ body: @escaping @Sendable () -> Void) {
        async(body)
    }

    func perform<Result>(_ body: () throws -> Result) rethrows -> Result {
        try sync(body)
    }
}

/// Whose queue a parity test runs on.
enum Contender: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case dispatch = "DispatchQueue"
    case ours = "SerialQueue"

    var testDescription: String { rawValue }

    func queue(_ label: String = "parity") -> any OrderedQueue {
        switch self {
        case .dispatch: DispatchQueue(label: label)
        case .ours: SerialQueue(label: label)
        }
    }
}
