import CSerialQueueSwiftCall
import Synchronization

/// What a suspended caller waits for. It is told once, from any thread, perhaps before the caller is suspended.
///
/// Unchecked Sendable: until its exchange of `stage` each side accesses only what is its own: the teller the outcome, the caller
/// the continuation. The later exchange sees what the other side wrote. The races: Documentation/Design.md, section 18.
class Completion<Outcome>: @unchecked Sendable {
    private enum Stage: UInt8, AtomicRepresentable {
        case neither
        case awaited
        case told
    }

    private let stage = Atomic(Stage.neither)
    private var outcome: Outcome?
    private var caller: UnsafeContinuation<Void, Never>?

    /// To be called once.
    final func tell(_ outcome: sending Outcome) {
        self.outcome = outcome
        // [resume] pairs with `wait`: the later of the two exchanges resumes the caller.
        if stage.exchange(.told, ordering: .acquiringAndReleasing) == .awaited { resumeCaller() }
    }

    /// To be called once. What the teller wrote before is visible when this returns.
    nonisolated(nonsending) final func wait() async -> Outcome {
        if stage.load(ordering: .acquiring) != .told {
            await withUnsafeContinuation { caller in
                self.caller = caller
                // [resume] pairs with `tell`.
                if stage.exchange(.awaited, ordering: .acquiringAndReleasing) == .told { resumeCaller() }
            }
            // The resumption has ordered it already, but inside the runtime, where ThreadSanitizer does not look.
            _ = stage.load(ordering: .acquiring)
        }
        return outcome!
    }

    private func resumeCaller() {
        // A continuation is one reference without a count.
        sq_swift_resume(unsafeBitCast(caller!, to: UnsafeMutableRawPointer.self))
    }
}
