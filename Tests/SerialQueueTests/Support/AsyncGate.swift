import Glibc
import Synchronization

/// Closed until somebody opens it; stays open. Whoever passes is suspended, and blocks no thread.
final class AsyncGate: Sendable {
    private enum State {
        case closed([UnsafeContinuation<Void, Never>])
        case open
    }

    private let state = Mutex(State.closed([]))

    func open() {
        let waiting = state.withLock { state in
            defer { state = .open }
            guard case .closed(let waiting) = state else { return [] as [UnsafeContinuation<Void, Never>] }
            return waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    func pass() async {
        await withUnsafeContinuation { waiter in
            let isOpen = state.withLock { state in
                guard case .closed(let waiting) = state else { return true }
                state = .closed(waiting + [waiter])
                return false
            }
            if isOpen { waiter.resume() }
        }
    }
}

/// Whether ThreadSanitizer watches: then what is repeated is repeated less often.
let isUnderThreadSanitizer = dlsym(nil, "__tsan_init") != nil

/// Keeps what is appended from any thread.
final class Log<Entry: Sendable>: Sendable {
    private let list = Mutex([Entry]())

    var entries: [Entry] { list.withLock { $0 } }

    func append(_ entry: Entry) {
        list.withLock { $0.append(entry) }
    }
}
