// ClosureWords.swift: an escaping closure as two words, which C keeps until its turn.

import CSerialQueue
import CSerialQueue.Private

/// What C keeps of a closure, which it owns.
struct ClosureWords {
    /// By which traces and dumps name the closure.
    let code: UnsafeMutableRawPointer
    let context: UnsafeMutableRawPointer?
}

#if compiler(>=6.3) && compiler(<6.4) && !SERIALQUEUE_PORTABLE

/// An escaping closure is two words: its code, and its context, a reference-counted object (or null, if it captures nothing). So it is passed
/// without an allocation.
extension ClosureWords {
    /// A closure in a struct keeps its plain form; as a generic argument it would be wrapped in a thunk.
    private struct Closure {
        let body: () -> Void
    }

    private struct IsolatedClosure<Value: ~Copyable> {
        let body: (inout Value) -> Void
    }

    /// The closure's words, with its context retained, and the closure itself released: the queue may run it before the submission
    /// returns, and must then hold the last reference.
    static func owning(_ body: consuming sending @escaping () -> Void, from _: UnsafeRawPointer) -> ClosureWords {
        words(of: Closure(body: consume body))
    }

    private static func words(of closure: consuming Closure) -> ClosureWords {
        let words = unsafeBitCast(closure, to: ClosureWords.self)
        if let context = words.context {
            _ = Unmanaged<AnyObject>.fromOpaque(context).retain()
        }
        withExtendedLifetime(closure) {}  // not released before the retain
        return words
    }

    /// Runs the closure if `runs`, and releases it. Call it once.
    func finish(runs: Bool) {
        if runs {
            unsafeBitCast(self, to: Closure.self).body()
        }
        if let context {
            Unmanaged<AnyObject>.fromOpaque(context).release()
        }
    }

    /// By what traces and dumps name a closure that gets a value.
    static func code<Value: ~Copyable>(of body: @escaping (inout Value) -> Void, from _: UnsafeRawPointer) -> UnsafeMutableRawPointer {
        unsafeBitCast(IsolatedClosure(body: body), to: ClosureWords.self).code
    }

    /// A trace shows, in place of these functions, the closure in the first field of the object that is their context. An object begins with
    /// two words. Only one thread at a time may call this.
    static func show(inPlaceOf functions: [sq_function_t]) {
        for function in functions { sq__trace_closures_of(function, UInt16(2 * MemoryLayout<UInt>.size)) }
    }
}

#else

/// The closure is in a box. Traces and dumps name it by the place that submits it.
extension ClosureWords {
    private final class Box {
        let body: () -> Void

        init(_ body: consuming @escaping () -> Void) {
            self.body = consume body
        }
    }

    static func owning(_ body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer) -> ClosureWords {
        ClosureWords(code: UnsafeMutableRawPointer(mutating: caller), context: Unmanaged.passRetained(Box(consume body)).toOpaque())
    }

    /// Runs the closure if `runs`, and releases it. Call it once.
    func finish(runs: Bool) {
        let box = Unmanaged<Box>.fromOpaque(context!)
        if runs { box.takeUnretainedValue().body() }
        box.release()
    }

    static func code<Value: ~Copyable>(of _: @escaping (inout Value) -> Void, from caller: UnsafeRawPointer) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(mutating: caller)
    }

    /// Has no effect: traces show the functions.
    static func show(inPlaceOf _: [sq_function_t]) {}
}

#endif
