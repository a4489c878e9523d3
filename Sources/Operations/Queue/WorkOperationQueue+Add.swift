import SerialQueue

extension WorkOperationQueue {
    /// Adds an operation that depends on nothing.
    ///
    /// `body` runs on a thread of the queue's pool, without an actor's isolation. What it throws is what the operation ends with, and
    /// what ``WorkOperation/value`` throws. The call itself neither throws nor waits.
    ///
    /// Don't pass an actor's method by name: Swift 6.3 accepts it, and it would run without the actor. Write
    /// `{ await actor.method() }`.
    ///
    /// - Precondition: There is memory, and the pool can start a thread. Otherwise the program ends with a message. The same holds for
    ///   each `add`.
    /// - Parameters:
    ///   - label: Names the operation in messages.
    ///   - priority: Which of the operations that are ready start first.
    ///   - body: What it does. Released when it has run, or when it is certain that it never will.
    @discardableResult
    public func add<Value>(
        _ label: String = "", priority: OperationPriority = .normal, _ body: @escaping @Sendable () throws -> Value
    ) -> WorkOperation<Value> {
        add(ValueNode(label, priority, runsAfterFailure: false, .sync(body)), after: [])
    }

    /// Adds an async operation that depends on nothing. It keeps its place in the queue's width while it is suspended.
    ///
    /// `body` runs as a task of its own, on threads of the queue's pool where it is isolated to no actor.
    @discardableResult
    public func add<Value>(
        _ label: String = "", priority: OperationPriority = .normal, _ body: @escaping @Sendable () async throws -> Value
    ) -> WorkOperation<Value> {
        add(ValueNode(label, priority, runsAfterFailure: false, .async(body)), after: [])
    }

    /// Adds an operation that runs when its predecessors have succeeded, and gets their values.
    ///
    /// The predecessors may be in other queues, or in none yet. If one of them fails or is cancelled, the operation ends with the same
    /// error, and `body` never runs. Otherwise `body` runs on a thread of this queue's pool. The call itself throws nothing: the
    /// operation is new, so it closes no cycle.
    ///
    /// - Parameters:
    ///   - label: Names the operation in messages.
    ///   - predecessor: The operations that it depends on.
    ///   - priority: Which of the operations that are ready start first.
    ///   - body: What it does. Released when it has run, or when it is certain that it never will.
    @discardableResult
    public func add<each Input, Value>(
        _ label: String = "", after predecessor: repeat WorkOperation<each Input>, priority: OperationPriority = .normal,
        _ body: @escaping @Sendable (repeat each Input) throws -> Value
    ) -> WorkOperation<Value> {
        let nodes = (repeat (each predecessor).node)
        return add(
            ValueNode(label, priority, runsAfterFailure: false, .sync { try body(repeat (each nodes).outcome.get()) }),
            after: list(repeat each predecessor)
        )
    }

    /// Adds an async operation that runs when its predecessors have succeeded, and gets their values.
    @discardableResult
    public func add<each Input, Value>(
        _ label: String = "", after predecessor: repeat WorkOperation<each Input>, priority: OperationPriority = .normal,
        _ body: @escaping @Sendable (repeat each Input) async throws -> Value
    ) -> WorkOperation<Value> {
        let nodes = (repeat (each predecessor).node)
        return add(
            ValueNode(label, priority, runsAfterFailure: false, .async { try await body(repeat (each nodes).outcome.get()) }),
            after: list(repeat each predecessor)
        )
    }

    /// The same for a closure that does not need the values.
    @discardableResult
    public func add<each Input, Value>(
        _ label: String = "", after predecessor: repeat WorkOperation<each Input>, priority: OperationPriority = .normal,
        _ body: @escaping @Sendable () throws -> Value
    ) -> WorkOperation<Value> {
        add(ValueNode(label, priority, runsAfterFailure: false, .sync(body)), after: list(repeat each predecessor))
    }

    /// The same for an async closure that does not need the values.
    @discardableResult
    public func add<each Input, Value>(
        _ label: String = "", after predecessor: repeat WorkOperation<each Input>, priority: OperationPriority = .normal,
        _ body: @escaping @Sendable () async throws -> Value
    ) -> WorkOperation<Value> {
        add(ValueNode(label, priority, runsAfterFailure: false, .async(body)), after: list(repeat each predecessor))
    }

    func add<Value>(_ node: ValueNode<Value>, after predecessors: [OperationNode]) -> WorkOperation<Value> {
        OperationGraph.change { after in OperationGraph.add(node, after: predecessors, to: core, &after) }
        return WorkOperation(node)
    }
}

/// The nodes of all these operations.
func list<each Input>(_ operation: repeat WorkOperation<each Input>) -> [OperationNode] {
    var nodes: [OperationNode] = []
    for node in repeat (each operation).node { nodes.append(node) }
    return nodes
}
