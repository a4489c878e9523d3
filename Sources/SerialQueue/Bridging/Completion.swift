import CSerialQueueSwiftCall
import Synchronization

/// What a ``Completion`` has seen last. Its two sides come in either order, once each. A side steps by one exchange: the stage that it leads to is its
/// own, and the stage that it finds says whether the other side has come.
enum CompletionStage: UInt8, AtomicRepresentable, CaseIterable {
    case neither
    case awaited
    case completed

    /// Whether the side that steps from this stage to `next` is the second one, and resumes the caller. `nil`: there is no such step.
    func resumesCaller(onStepTo next: CompletionStage) -> Bool? {
        switch (self, next) {
        case (.neither, .awaited), (.neither, .completed): false
        case (.awaited, .completed), (.completed, .awaited): true
        case (_, .neither), (.awaited, .awaited), (.completed, .completed): nil
        }
    }
}

/// An outcome that a suspended caller waits for. It is set once, from any thread, possibly before the caller is suspended.
///
/// Unchecked Sendable: before its exchange of `stage`, each side accesses only its own field: `complete` the outcome, `wait` the
/// continuation. Exactly one side finds the other's stage: it sees what the other side wrote, and resumes the caller. The completing side has
/// a reference of its own to the object until then.
class Completion<Outcome>: @unchecked Sendable {
    private let stage = Atomic(CompletionStage.neither)
    private var outcome: Outcome?
    private var caller: UnsafeContinuation<Void, Never>?

    /// Sets the outcome and resumes the caller. Call it once.
    final func complete(_ outcome: sending Outcome) {
        self.outcome = outcome
        // [resume] pairs with `wait`: the later of the two exchanges resumes the caller.
        step(from: stage.exchange(.completed, ordering: .acquiringAndReleasing), to: .completed)
    }

    /// Waits for the outcome. Call it once. Writes before the call of `complete` are visible when this returns.
    nonisolated(nonsending) final func wait() async -> Outcome {
        if stage.load(ordering: .acquiring) != .completed {
            await withUnsafeContinuation { caller in
                self.caller = caller
                // [resume] pairs with `complete`.
                step(from: stage.exchange(.awaited, ordering: .acquiringAndReleasing), to: .awaited)
            }
            // For ThreadSanitizer: the resumption has already ordered it, but inside the runtime, which is not instrumented.
            _ = stage.load(ordering: .acquiring)
        }
        return outcome!
    }

    private func step(from stage: CompletionStage, to next: CompletionStage) {
        guard let resumes = stage.resumesCaller(onStepTo: next) else {
            fatalError("a call was \(next) twice: this is a bug in SerialQueue, please report it.")
        }
        guard resumes else { return }
        resumeCaller(caller!)
    }
}
