import Foundation

// NSLock, not Synchronization.Mutex, because ThreadSanitizer cannot follow the latter when it is contended.

/// Closed until it is opened; stays open. A task that waits for it is suspended, and blocks no thread.
final class AsyncGate: Sendable {
    private enum State {
        case closed([UnsafeContinuation<Void, Never>])
        case open
    }

    private let lock = NSLock()
    nonisolated(unsafe) private var state = State.closed([])  // touched under the lock only

    func open() {
        let waiting = lock.withLock {
            defer { state = .open }
            guard case .closed(let waiting) = state else { return [] as [UnsafeContinuation<Void, Never>] }
            return waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    func pass() async {
        await withUnsafeContinuation { waiter in
            let isOpen = lock.withLock {
                guard case .closed(let waiting) = state else { return true }
                state = .closed(waiting + [waiter])
                return false
            }
            if isOpen { waiter.resume() }
        }
    }
}

/// Whether ThreadSanitizer or AddressSanitizer watches: then what is repeated is repeated less often.
let isUnderSanitizer = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

/// How often the thousand closures are enqueued. SQ_ROUNDS=1000 does it a thousand times under a sanitizer, too.
let rounds = getenv("SQ_ROUNDS").flatMap { Int(String(cString: $0)) } ?? (isUnderSanitizer ? 100 : 1_000)

/// Keeps what is appended from any thread.
final class Log<Entry: Sendable>: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var list: [Entry] = []  // touched under the lock only

    var entries: [Entry] { lock.withLock { list } }

    func append(_ entry: Entry) {
        lock.withLock { list.append(entry) }
    }
}
