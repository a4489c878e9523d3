import Dispatch
import Glibc

/// What has happened in a cell, in its order.
final class Log: @unchecked Sendable {
    // Not a Mutex: ThreadSanitizer cannot follow a contended one.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var lines: [String] = []

    init() {
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    private func locked<T>(_ body: () -> T) -> T {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }

    func add(_ line: String) {
        locked { lines.append(line) }
    }

    var text: String {
        locked { lines.joined(separator: " ") }
    }

    var sorted: String {
        locked { lines.sorted().joined(separator: " ") }
    }

    var count: Int {
        locked { lines.count }
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
struct Cell: Sendable {
    let name: String
    /// Returns what has happened.
    let run: @Sendable () -> String
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
