import Dispatch
import Testing

/// The longest that any wait here may take. It only bounds a hang, and no order depends on it. Swift Testing begins all tests at once, so one may last
/// as long as they all: more than 240 seconds under ThreadSanitizer on a busy machine.
let hangSeconds = 900

/// Closed until somebody opens it; stays open. Tests cause their order with gates.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() {
        semaphore.signal()
    }

    /// Waits until the gate is open; records an issue if that never happens.
    func pass(_ location: SourceLocation = #_sourceLocation) {
        if semaphore.wait(timeout: .now() + .seconds(hangSeconds)) == .timedOut {
            Issue.record("a gate was never opened", sourceLocation: location)
        }
        semaphore.signal()
    }
}

/// A queue's task that begins at once and lasts until `finish`: everything submitted in between waits.
final class Holdup: Sendable {
    private let begun = Gate()
    private let end = Gate()

    /// Returns when the queue is held up.
    init(_ submit: (@escaping @Sendable () -> Void) -> Void, _ location: SourceLocation = #_sourceLocation) {
        submit { [begun, end] in
            begun.open()
            end.pass(location)
        }
        begun.pass(location)
    }

    func finish() {
        end.open()
    }
}
