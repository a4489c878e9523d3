// FIFOWork.swift: what is generic in a FIFOQueue's task. Inlinable, so that it is made for the client's types: a closure
// stored for types unknown costs a conversion, and memory, each time.

/// With the closure, which it releases before it lets the next one begin.
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
