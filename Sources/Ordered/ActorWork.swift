// ActorWork.swift: the generic part of an ActorQueue's task. Inlinable, so that it is specialised for the client's types: a closure
// that is stored in unspecialised code costs a conversion and an allocation each time.

import SerialQueue

/// A turn with its closure, which is released before the task ends.
///
/// Unchecked Sendable: the closure is written before the task is made, and taken out by the task.
@usableFromInline
final class ActorWork<ActorType: Actor, Success: Sendable, Failure: Error>: ActorTurn, @unchecked Sendable {
    @usableFromInline typealias Operation = @Sendable (isolated ActorType) async throws(Failure) -> Success

    @usableFromInline let actor: ActorType
    @usableFromInline var operation: Operation?

    @inlinable init(_ line: TaskLine, _ actor: ActorType, _ operation: consuming @escaping Operation) {
        self.actor = actor
        self.operation = consume operation
        super.init(line)
    }

    /// The work of the task that starts on `gate`, which is all that the task's closure captures.
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

// A closure that captures an isolated parameter is isolated to it, and so is a task made from it. The code that makes the task does
// not need to be isolated: the gate protects nothing.
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

    /// Makes the task by calling `isolated` without its isolation.
    @inlinable func makeTask(_ name: String?, _ priority: TaskPriority?, by isolated: Isolated) -> Task<Success, Failure> {
        let gate = ActorGate(self)
        if let notIsolated = withoutIsolation(isolated, as: NotIsolated.self) { return notIsolated.make(gate, name, priority) }
        nonisolated(unsafe) let isolated = isolated  // stays on this thread
        return gate.assumeIsolated { isolated.make($0, name, priority) }
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
