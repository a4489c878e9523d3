extension WorkOperationQueue {
    /// Adds an operation that runs when all predecessors, any number of one type, have succeeded, and gets their values in order.
    ///
    /// - Parameters:
    ///   - label: Names the operation in messages.
    ///   - predecessors: The operations that it depends on.
    ///   - priority: Which of the operations that are ready start first.
    ///   - body: What it does. Released when it has run, or when it is certain that it never will.
    @discardableResult
    public func add<Input, Value>(
        _ label: String = "", after predecessors: [WorkOperation<Input>], priority: OperationPriority = .normal,
        _ body: @escaping @Sendable ([Input]) throws -> Value
    ) -> WorkOperation<Value> {
        let nodes = predecessors.map(\.node)
        return add(
            ValueNode(label, priority, runsAfterFailure: false, .sync { try body(nodes.map { try $0.outcome.get() }) }),
            after: nodes
        )
    }

    /// Adds an async operation that runs when all predecessors have succeeded, and gets their values in order.
    @discardableResult
    public func add<Input, Value>(
        _ label: String = "", after predecessors: [WorkOperation<Input>], priority: OperationPriority = .normal,
        _ body: @escaping @Sendable ([Input]) async throws -> Value
    ) -> WorkOperation<Value> {
        let nodes = predecessors.map(\.node)
        return add(
            ValueNode(label, priority, runsAfterFailure: false, .async { try await body(nodes.map { try $0.outcome.get() }) }),
            after: nodes
        )
    }

    /// The same for a closure that does not need the values.
    @discardableResult
    public func add<Input, Value>(
        _ label: String = "", after predecessors: [WorkOperation<Input>], priority: OperationPriority = .normal,
        _ body: @escaping @Sendable () throws -> Value
    ) -> WorkOperation<Value> {
        add(ValueNode(label, priority, runsAfterFailure: false, .sync(body)), after: predecessors.map(\.node))
    }

    /// The same for an async closure that does not need the values.
    @discardableResult
    public func add<Input, Value>(
        _ label: String = "", after predecessors: [WorkOperation<Input>], priority: OperationPriority = .normal,
        _ body: @escaping @Sendable () async throws -> Value
    ) -> WorkOperation<Value> {
        add(ValueNode(label, priority, runsAfterFailure: false, .async(body)), after: predecessors.map(\.node))
    }

    /// Adds an operation that runs when all predecessors have ended, in whatever way, and gets their results in order.
    @discardableResult
    public func add<Input, Value>(
        _ label: String = "", after predecessors: [WorkOperation<Input>], runs: EvenAfterFailure,
        priority: OperationPriority = .normal, _ body: @escaping @Sendable ([Result<Input, any Error>]) throws -> Value
    ) -> WorkOperation<Value> {
        let nodes = predecessors.map(\.node)
        return add(ValueNode(label, priority, runsAfterFailure: true, .sync { try body(nodes.map(\.outcome)) }), after: nodes)
    }

    /// Adds an async operation that runs when all predecessors have ended, in whatever way, and gets their results in order.
    @discardableResult
    public func add<Input, Value>(
        _ label: String = "", after predecessors: [WorkOperation<Input>], runs: EvenAfterFailure,
        priority: OperationPriority = .normal, _ body: @escaping @Sendable ([Result<Input, any Error>]) async throws -> Value
    ) -> WorkOperation<Value> {
        let nodes = predecessors.map(\.node)
        return add(
            ValueNode(label, priority, runsAfterFailure: true, .async { try await body(nodes.map(\.outcome)) }),
            after: nodes
        )
    }

    /// The same for a closure that does not need the results.
    @discardableResult
    public func add<Input, Value>(
        _ label: String = "", after predecessors: [WorkOperation<Input>], runs: EvenAfterFailure,
        priority: OperationPriority = .normal, _ body: @escaping @Sendable () throws -> Value
    ) -> WorkOperation<Value> {
        add(ValueNode(label, priority, runsAfterFailure: true, .sync(body)), after: predecessors.map(\.node))
    }

    /// The same for an async closure that does not need the results.
    @discardableResult
    public func add<Input, Value>(
        _ label: String = "", after predecessors: [WorkOperation<Input>], runs: EvenAfterFailure,
        priority: OperationPriority = .normal, _ body: @escaping @Sendable () async throws -> Value
    ) -> WorkOperation<Value> {
        add(ValueNode(label, priority, runsAfterFailure: true, .async(body)), after: predecessors.map(\.node))
    }
}
