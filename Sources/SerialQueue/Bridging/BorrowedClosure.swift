// BorrowedClosure.swift: running a borrowed closure on the queue without an allocation.
//
// The closure, its result and its error stay on the caller's stack: the C core guarantees that when its sync returns, the function
// has been called, or will never be called.

import CSerialQueueSwiftCall

// Defined in SwiftCall/swift_call.c, which also explains why they are not plain C functions.
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
func borrowedApply(_ pool: OpaquePointer, _ count: Int, _ body: @Sendable (Int) -> Void) -> CInt

@_silgen_name("sq__swift_once")
func borrowedOnce(_ once: UnsafeMutablePointer<sq_once_t>, _ body: () -> Void) -> CInt

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
