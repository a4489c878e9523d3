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
    /// Of the next event; 0: there is none. Each thread that merges releases, and the event acquires: its handler sees what they wrote before, also
    /// those that did not submit it.
    private let next = Atomic<UInt>(0)

    /// How data is merged with that of an event whose handler has not run yet.
    enum Merge {
        case add, or, replace
    }

    func set(_ kind: Kind, _ handler: DispatchSourceHandler?) {
        // Only called on the source's queue, one at a time.
        let handler = handler.map { handler -> @Sendable () -> Void in
            nonisolated(unsafe) let handler = handler
            return { handler() }
        }
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

    /// Merges data into the next event. `true`: it is new, so the caller submits ``fireNext()``.
    func merge(_ data: UInt, by merge: Merge) -> Bool {
        let old =
            switch merge {
            case .add: next.wrappingAdd(data, ordering: .releasing).oldValue
            case .or: next.bitwiseOr(data, ordering: .releasing).oldValue
            case .replace: next.exchange(data, ordering: .releasing)
            }
        return old == 0 && data != 0
    }

    var hasNext: Bool {
        next.load(ordering: .relaxed) != 0
    }

    /// Calls the event handler for all data up to now.
    func fireNext() {
        let merged = next.exchange(0, ordering: .acquiring)
        guard merged != 0 else { return }
        data.store(merged, ordering: .relaxed)
        fire()
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
