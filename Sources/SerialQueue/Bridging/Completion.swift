import CSerialQueueSwiftCall
import Synchronization

/// What a suspended caller waits for. It comes once, from any thread, perhaps before the caller is suspended.
///
/// Unchecked Sendable: the news are the teller's and the continuation the caller's until both have been to `stage`. Who
/// comes second finds what the first one wrote.
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
        if stage.exchange(.told, ordering: .acquiringAndReleasing) == .awaited { resumeCaller() }
    }

    /// To be called once. The caller sees what the teller wrote before.
    nonisolated(nonsending) final func wait() async -> Outcome {
        if stage.load(ordering: .acquiring) != .told {
            await withUnsafeContinuation { caller in
                self.caller = caller
                if stage.exchange(.awaited, ordering: .acquiringAndReleasing) == .told { resumeCaller() }
            }
            // The resumption has ordered it already, but inside the runtime, where ThreadSanitizer does not look.
            _ = stage.load(ordering: .acquiring)
        }
        return outcome!
    }

    private func resumeCaller() {
        // A continuation is one reference, which nobody counts.
        sq_swift_resume(unsafeBitCast(caller!, to: UnsafeMutableRawPointer.self))
    }
}
