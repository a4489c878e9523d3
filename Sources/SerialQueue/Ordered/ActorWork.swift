// ActorWork.swift: what is generic in an ActorQueue's task. Inlinable, so that it is made for the client's types: a closure
// stored for types unknown costs a conversion, and memory, each time.

/// With the closure, which is released before the task ends.
///
/// Unchecked Sendable: the closure is written before the task is made, and taken out by the task.
@usableFromInline
final class ActorWork<ActorType: Actor, Success: Sendable, Failure: Error>: ActorTurn, @unchecked Sendable {
    @usableFromInline typealias Operation = @Sendable (isolated ActorType) async throws(Failure) -> Success

    @usableFromInline let actor: ActorType
    // Written before the task is made, taken out by the task.
    @usableFromInline var operation: Operation?

    @inlinable init(_ line: TaskLine, _ actor: ActorType, _ operation: consuming @escaping Operation) {
        self.actor = actor
        self.operation = consume operation
        super.init(line)
    }

    /// The work of the task that begins with `gate`, which is all that the task's closure captures.
    @inlinable static func of(_ gate: ActorGate) -> ActorWork {
        unsafeDowncast(gate.turn, to: ActorWork.self)
    }

    @inlinable func run(on actor: isolated ActorType) async throws(Failure) -> Success {
        begin()
        defer { end() }
        return try await take()(actor)
    }

    @inlinable func take() -> Operation {
        operation.take()!
    }
}

// A closure that captures an isolated parameter is isolated to it, and so is a task made from it. The code that makes the task need
// not be: there is nothing to protect. The standard library's `assumeIsolated` drops the isolation likewise.
// The functions are in structures, because a bare one would be converted, which costs memory.
extension ActorWork {
    @usableFromInline struct Isolated {
        @usableFromInline let make: (isolated ActorGate, String?, TaskPriority?) -> Task<Success, Failure>

        @inlinable init(make: @escaping (isolated ActorGate, String?, TaskPriority?) -> Task<Success, Failure>) {
            self.make = make
        }
    }

    @usableFromInline struct NotIsolated {
        @usableFromInline let make: (ActorGate, String?, TaskPriority?) -> Task<Success, Failure>
    }

    /// Makes the task, by `isolated`, but without being isolated.
    @inlinable func makeTask(_ name: String?, _ priority: TaskPriority?, by isolated: Isolated) -> Task<Success, Failure> {
        unsafeBitCast(isolated, to: NotIsolated.self).make(ActorGate(self), name, priority)
    }
}

extension ActorWork where Failure == Never {
    @inlinable func makeTask(name: String?, priority: TaskPriority?) -> Task<Success, Never> {
        makeTask(name, priority, by: Isolated { gate, name, priority in
            Task(name: name, priority: priority) {
                let work = ActorWork.of(gate)
                return await work.run(on: work.actor)
            }
        })
    }
}

extension ActorWork where Failure == any Error {
    @inlinable func makeTask(name: String?, priority: TaskPriority?) -> Task<Success, any Error> {
        makeTask(name, priority, by: Isolated { gate, name, priority in
            Task(name: name, priority: priority) {
                let work = ActorWork.of(gate)
                return try await work.run(on: work.actor)
            }
        })
    }
}
