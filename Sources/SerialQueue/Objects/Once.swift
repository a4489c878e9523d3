import CSerialQueue
import CSerialQueueSwiftCall

/// Runs a closure once, even if several threads call it at the same time.
///
/// A `static let` does the same for a value that is known when the program is compiled. Use a `Once` for something that belongs to
/// an object, or if two of them may wait for each other: two `static let`s then trap without a message.
///
/// ```swift
/// let once = Once()
/// once.run { print("printed once") }
/// once.run { print("never printed") }
/// ```
public final class Once: Sendable {
    // Sendable because sq_once may be called from any thread while the struct is there (sq_once.h). This object keeps it, at an
    // address that never changes.
    @usableFromInline nonisolated(unsafe) let once: UnsafeMutablePointer<sq_once_t>

    /// Makes a `Once` whose closure has not run.
    public init() {
        once = .allocate(capacity: 1)
        once.initialize(to: sq_once_t())
    }

    deinit {
        once.deallocate()
    }

    /// Runs `body`, unless a call on this object has run its closure; returns after that one has returned.
    ///
    /// Of several threads that call at the same time one runs its closure, and the others wait for it. What the closure wrote is
    /// visible to all of them. Once it has run, a call costs one load.
    ///
    /// Don't use it for work that suspends: `body` is synchronous, and threads that wait for it are blocked.
    ///
    /// - Precondition: The caller is not inside the closure of this object, nor inside one that waits for the caller. Otherwise the
    ///   program ends with a message that names the threads and queues. It also ends if there is no memory for the wait, and in
    ///   the child of a `fork` where a thread of the parent was inside the closure.
    @inlinable
    public func run(_ body: () -> Void) {
        if !sq_swift_once_is_done(once) { runSlowly(body) }
    }

    @usableFromInline @inline(never)
    func runSlowly(_ body: () -> Void) {
        SwiftABI.check
        let status = borrowedOnce(once, body)
        withExtendedLifetime(self) {}
        if status != 0 { onceRefused(status) }
    }
}
