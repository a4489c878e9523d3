// SwiftABI.swift: whether this library relies on Swift's private ABI, and a check that the compiler has the one that is known.
//
// The files of this folder have two forms. One relies on the ABI of the compilers that are named in their first `#if`, and the other, the portable
// form, on the language alone: for all other compilers, or with the define SERIALQUEUE_PORTABLE (Documentation/SwiftABI.md).

import CSerialQueueSwiftCall

package enum SwiftABI {
    #if compiler(>=6.3) && compiler(<6.4) && !SERIALQUEUE_PORTABLE

    /// Whether this is not the portable form.
    package static let isUsed = true

    /// Ends a debug build whose compiler passes closures in another way. Once; the first queue, pool or closure of a `Once` looks.
    static let check: Void = {
        #if DEBUG
        if let difference { unknown(difference) }
        #endif
    }()

    /// What differs from what this folder expects; `nil`: nothing.
    static var difference: String? {
        guard MemoryLayout<() -> Void>.size == MemoryLayout<ClosureWords>.size else { return "the size of a closure" }
        guard MemoryLayout<UnownedJob>.size == MemoryLayout<UInt>.size else { return "the size of a job" }
        guard MemoryLayout<UnsafeContinuation<Void, Never>>.size == MemoryLayout<UInt>.size else { return "the size of a continuation" }
        let capture = Capture()
        let closure = { capture.calls += 1 }
        nonisolated(unsafe) let copy = closure
        let owned = ClosureWords.owning(copy, from: sq_swift_here())
        guard isLent(owned.code, owned.context, closure) else { return "how a closure is passed to C" }
        owned.finish(runs: true)
        guard capture.calls == 1 else { return "how a closure is called from its two words" }
        return isReleased() ? nil : "the context of a closure"
    }

    /// Whether two words keep what a closure captures, until their end.
    private static func isReleased() -> Bool {
        weak var capture: Capture?
        let owned: ClosureWords = {
            let new = Capture()
            capture = new
            return ClosureWords.owning({ new.calls += 1 }, from: sq_swift_here())
        }()
        guard capture != nil else { return false }
        owned.finish(runs: false)
        return capture == nil
    }

    private final class Capture: @unchecked Sendable {  // used by one thread
        var calls = 0
    }

    static func unknown(_ difference: String) -> Never {
        fatalError(message(difference))
    }

    static func message(_ difference: String) -> String {
        """
        SerialQueue: this compiler, a Swift 6.3 with \(String(cString: sq_swift_compiler())), differs from the one that the library was written for: \
        \(difference). Compile with -Xswiftc -DSERIALQUEUE_PORTABLE, and please report this.
        """
    }

    #else

    package static let isUsed = false
    static let check: Void = ()

    #endif
}

#if compiler(>=6.3) && compiler(<6.4) && !SERIALQUEUE_PORTABLE

// Whether C gets the closure as these words. Defined in SwiftCall/swift_call.c.
@_silgen_name("sq__swift_is_lent")
private func isLent(_ code: UnsafeRawPointer, _ context: UnsafeRawPointer?, _ body: () -> Void) -> Bool

#endif
