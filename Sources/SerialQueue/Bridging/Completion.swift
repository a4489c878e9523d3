import CSerialQueueSwiftCall
import Synchronization

/// An outcome that a suspended caller waits for. It is set once, from any thread, possibly before the caller is suspended.
///
/// Unchecked Sendable: before its exchange of `stage`, each side accesses only its own field: `complete` the outcome, `wait` the
/// continuation. Exactly one side finds the other's stage: it sees what the other side wrote, and resumes the caller. The completing side has
/// a reference of its own to the object until then.
class Completion<Outcome>: @unchecked Sendable {
    private enum Stage: UInt8, AtomicRepresentable {
        case neither
        case awaited
        case completed
    }

    private let stage = Atomic(Stage.neither)
    private var outcome: Outcome?
    private var caller: UnsafeContinuation<Void, Never>?

    /// Sets the outcome and resumes the caller. Call it once.
    final func complete(_ outcome: sending Outcome) {
        self.outcome = outcome
        // [resume] pairs with `wait`: the later of the two exchanges resumes the caller.
        if stage.exchange(.completed, ordering: .acquiringAndReleasing) == .awaited { resumeCaller() }
    }

    /// Waits for the outcome. Call it once. Writes before the call of `complete` are visible when this returns.
    nonisolated(nonsending) final func wait() async -> Outcome {
        if stage.load(ordering: .acquiring) != .completed {
            await withUnsafeContinuation { caller in
                self.caller = caller
                // [resume] pairs with `complete`.
                if stage.exchange(.awaited, ordering: .acquiringAndReleasing) == .completed { resumeCaller() }
            }
            // For ThreadSanitizer: the resumption has already ordered it, but inside the runtime, which is not instrumented.
            _ = stage.load(ordering: .acquiring)
        }
        return outcome!
    }

    private func resumeCaller() {
        // A continuation is one reference without a count.
        sq_swift_resume(unsafeBitCast(caller!, to: UnsafeMutableRawPointer.self))
    }
}
