// FIFOWork.swift: the generic part of a FIFOQueue's task. Inlinable, so that it is specialised for the client's types: a closure
// that is stored in unspecialised code costs a conversion and an allocation each time.

/// A turn with its closure, which is released before the next task starts.
///
/// Unchecked Sendable: the closure is written before the task is made, and taken out by the task.
@usableFromInline
final class FIFOWork<Success, Failure: Error>: FIFOTurn, @unchecked Sendable {
    @usableFromInline var operation: (() async throws(Failure) -> Success)?

    @inlinable init(_ fifo: FIFOQueue, _ operation: consuming sending @escaping () async throws(Failure) -> Success) {
        self.operation = consume operation
        super.init(fifo)
    }

    @inlinable func run() async throws(Failure) -> Success {
        begin()
        defer { end() }
        return try await take()()
    }

    @inlinable func take() -> () async throws(Failure) -> Success {
        operation.take()!
    }
}
