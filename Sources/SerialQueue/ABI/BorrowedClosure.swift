// BorrowedClosure.swift: running a borrowed closure on the queue.
//
// The closure, its result and its error stay on the caller's stack: the C core guarantees that when its sync returns, the function
// has been called, or will never be called.

import CSerialQueue
import CSerialQueue.Private
import CSerialQueueSwiftCall

#if compiler(>=6.3) && compiler(<6.4) && !SERIALQUEUE_PORTABLE

// Without an allocation. Defined in SwiftCall/swift_call.c, which also explains why they are not plain C functions.
@_silgen_name("sq__swift_sync") @usableFromInline
func borrowedSync(_ queue: OpaquePointer, _ body: () -> Void) -> CInt

@_silgen_name("sq__swift_sync_until") @usableFromInline
func borrowedSyncUntil(_ queue: OpaquePointer, _ deadline: UInt64, _ body: () -> Void) -> CInt

@_silgen_name("sq__swift_async_and_wait") @usableFromInline
func borrowedAsyncAndWait(_ queue: OpaquePointer, _ deadline: UInt64, _ body: () -> Void) -> CInt

@_silgen_name("sq__swift_run_and_wait") @usableFromInline
func borrowedRunAndWait(_ queue: OpaquePointer, _ deadline: UInt64, _ body: () -> Void) -> CInt

@_silgen_name("sq__swift_sync_or_run") @usableFromInline
func borrowedSyncOrRun(_ queue: OpaquePointer, _ body: () -> Void) -> CInt

@_silgen_name("sq__swift_sync_barrier") @usableFromInline
func borrowedSyncBarrier(_ queue: OpaquePointer, _ deadline: UInt64, _ body: () -> Void) -> CInt

@_silgen_name("sq__swift_apply")
private func lendLoop(_ pool: OpaquePointer, _ count: Int, _ body: @Sendable (Int) -> Void) -> CInt

func borrowedApply(_ pool: OpaquePointer, _ count: Int, _ body: @Sendable (Int) -> Void, from _: UnsafeRawPointer) -> CInt {
    lendLoop(pool, count, body)
}

@_silgen_name("sq__swift_once")
func borrowedOnce(_ once: UnsafeMutablePointer<sq_once_t>, _ body: () -> Void) -> CInt

#else

// Not inlined: the return address is in the user's code, and is the call site.
@usableFromInline @inline(never)
func borrowedSync(_ queue: OpaquePointer, _ body: () -> Void) -> CInt {
    Lent.to(sq_swift_caller(), body) { sq__sync(queue, .max, Lent.run, $0, $1) }
}

@usableFromInline @inline(never)
func borrowedSyncUntil(_ queue: OpaquePointer, _ deadline: UInt64, _ body: () -> Void) -> CInt {
    Lent.to(sq_swift_caller(), body) { sq__sync(queue, deadline, Lent.run, $0, $1) }
}

@usableFromInline @inline(never)
func borrowedAsyncAndWait(_ queue: OpaquePointer, _ deadline: UInt64, _ body: () -> Void) -> CInt {
    Lent.to(sq_swift_caller(), body) { sq__async_and_wait(queue, deadline, Lent.run, $0, $1) }
}

@usableFromInline @inline(never)
func borrowedRunAndWait(_ queue: OpaquePointer, _ deadline: UInt64, _ body: () -> Void) -> CInt {
    // 1: a limit of zero, as in swift_call.c.
    Lent.to(sq_swift_caller(), body) { sq__run_and_wait(queue, deadline == 1 ? 0 : deadline, Lent.run, $0, $1) }
}

@usableFromInline @inline(never)
func borrowedSyncOrRun(_ queue: OpaquePointer, _ body: () -> Void) -> CInt {
    Lent.to(sq_swift_caller(), body) { sq__sync_or_run(queue, Lent.run, $0, $1) }
}

@usableFromInline @inline(never)
func borrowedSyncBarrier(_ queue: OpaquePointer, _ deadline: UInt64, _ body: () -> Void) -> CInt {
    Lent.to(sq_swift_caller(), body) { sq__sync_barrier(queue, deadline, Lent.run, $0, $1) }
}

/// C tells loops apart by their call sites.
func borrowedApply(_ pool: OpaquePointer, _ count: Int, _ body: @Sendable (Int) -> Void, from caller: UnsafeRawPointer) -> CInt {
    withoutActuallyEscaping(body) { body in
        withUnsafePointer(to: body) {
            let run: sq_iteration_t = { body, index in body!.assumingMemoryBound(to: (@Sendable (Int) -> Void).self).pointee(index) }
            return sq__apply_code(pool, count, run, UnsafeMutableRawPointer(mutating: $0), UInt(bitPattern: caller))
        }
    }
}

func borrowedOnce(_ once: UnsafeMutablePointer<sq_once_t>, _ body: () -> Void) -> CInt {
    Lent.to(sq_swift_caller(), body) { context, _ in sq_once_slow(once, Lent.run, context) }
}

/// A closure on the stack. Swift stores only closures that may escape: withoutActuallyEscaping makes one of a borrowed closure, which allocates.
private struct Lent {
    let site: UnsafeRawPointer
    let body: () -> Void

    /// What C calls. Always the same function.
    static var run: sq_function_t { { $0!.assumingMemoryBound(to: Lent.self).pointee.body() } }

    /// A trace shows the call site in place of ``run``. One constant, because only one thread at a time may call C here.
    private static let showsSites: Void = sq__trace_closures_of(run, UInt16(MemoryLayout<Lent>.offset(of: \.site)!))

    static func to(
        _ site: UnsafeRawPointer, _ body: () -> Void, _ call: (UnsafeMutableRawPointer, UnsafeRawPointer) -> CInt
    ) -> CInt {
        _ = showsSites
        return withoutActuallyEscaping(body) { body in
            var lent = Lent(site: site, body: body)
            return withUnsafeMutablePointer(to: &lent) { call($0, site) }
        }
    }
}

#endif

extension WorkQueue {
    /// Returns or throws what a borrowed closure returned or threw; traps if C refused to run it. Always inlined, so that a `sync`
    /// is just one call of a C function in the client's code.
    @_transparent
    @usableFromInline
    func finish<Result: ~Copyable, Failure: Error>(
        _ verb: StaticString,
        _ status: CInt,
        _ outcome: consuming Swift.Result<Result, Failure>?
    ) throws(Failure) -> Result {
        guard status == 0 else { refused(verb, status) }
        return try outcome!.get()
    }
}
