import Dispatch
import Synchronization

/// What a source calls. Shared by the source and the closures on its queue.
final class SourceHandlers: Sendable {
    enum Kind {
        case event, cancel, registration
    }

    /// `nil`: the source has finished.
    private let handlers = Mutex<[Kind: @Sendable () -> Void]?>([:])
    let isCancelled = Atomic(false)
    /// Whether the source's release has cancelled it: then the cancel handler is not called. Set before the cancellation.
    let isReleased = Atomic(false)
    /// Of the running event.
    let data = Atomic<UInt>(0)

    func set(_ kind: Kind, _ handler: DispatchSourceHandler?) {
        // Only called on the source's queue, one at a time.
        let handler = handler.map { unsafeBitCast($0, to: (@Sendable () -> Void).self) }
        // Released after the lock: the captures may have a deinit.
        let old = handlers.withLock { handlers in
            let old = handlers?[kind]
            handlers?[kind] = handler
            return old
        }
        withExtendedLifetime(old) {}
    }

    func announce() {
        if !isCancelled.load(ordering: .acquiring) { handlers.withLock { $0?.removeValue(forKey: .registration) }?() }
    }

    func fire() {
        if !isCancelled.load(ordering: .acquiring) { handlers.withLock { $0?[.event] }?() }
    }

    /// Releases the handlers, and calls the cancel handler.
    func finish() {
        let cancel = handlers.withLock { $0.take() }?[.cancel]
        if !isReleased.load(ordering: .relaxed) { cancel?() }
    }
}
