import Dispatch
import Synchronization

/// What has happened in a cell, in its order.
final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) {
        lines.withLock { $0.append(line) }
    }

    var text: String {
        lines.withLock { $0.joined(separator: " ") }
    }

    var sorted: String {
        lines.withLock { $0.sorted().joined(separator: " ") }
    }

    var count: Int {
        lines.withLock { $0.count }
    }
}

/// Captured by closures: says when it is released.
final class Token: Sendable {
    let released: @Sendable () -> Void

    init(_ released: @escaping @Sendable () -> Void) {
        self.released = released
    }

    deinit {
        released()
    }
}

struct Failure: Error {}

/// Something that can be compared: what a call has done in a state.
struct Cell {
    let name: String
    /// Returns what has happened.
    let run: () -> String
    /// Whether it may end or hang the process, so that it gets one of its own.
    var isAlone = false
    /// Whether the main thread must serve the main queue meanwhile.
    var needsMain = false
}

let far = DispatchTime.now() + 30

extension DispatchSemaphore {
    /// Waits for what must come.
    func must() {
        if wait(timeout: .now() + 30) == .timedOut { fatalError("a cell hangs") }
    }
}
