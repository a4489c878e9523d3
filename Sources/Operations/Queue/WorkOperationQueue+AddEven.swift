extension WorkOperationQueue {
    /// Adds an operation that runs when its predecessors have ended, in whatever way, and gets their results.
    ///
    /// ```swift
    /// let queue = WorkOperationQueue(label: "com.example.upload")
    /// let upload = queue.add("upload") { throw CancellationError() }
    /// let report = queue.add("report", after: upload, runs: .evenAfterFailure) { upload in
    ///     switch upload {
    ///     case .success: "uploaded"
    ///     case .failure(let error): "failed: \\(error)"
    ///     }
    /// }
    /// print(try await report.value)  // failed: CancellationError()
    /// ```
    ///
    /// - Parameters:
    ///   - label: Names the operation in messages.
    ///   - predecessor: The operations that it depends on.
    ///   - runs: `.evenAfterFailure`.
    ///   - priority: Which of the operations that are ready start first.
    ///   - body: What it does. Released when it has run, or when it is certain that it never will.
    @discardableResult
    public func add<each Input, Value>(
        _ label: String = "", after predecessor: repeat WorkOperation<each Input>, runs: EvenAfterFailure,
        priority: OperationPriority = .normal, _ body: @escaping @Sendable (repeat Result<each Input, any Error>) throws -> Value
    ) -> WorkOperation<Value> {
        let nodes = (repeat (each predecessor).node)
        return add(
            ValueNode(label, priority, runsAfterFailure: true, .sync { try body(repeat (each nodes).outcome) }),
            after: list(repeat each predecessor)
        )
    }

    /// Adds an async operation that runs when its predecessors have ended, in whatever way, and gets their results.
    @discardableResult
    public func add<each Input, Value>(
        _ label: String = "", after predecessor: repeat WorkOperation<each Input>, runs: EvenAfterFailure,
        priority: OperationPriority = .normal,
        _ body: @escaping @Sendable (repeat Result<each Input, any Error>) async throws -> Value
    ) -> WorkOperation<Value> {
        let nodes = (repeat (each predecessor).node)
        return add(
            ValueNode(label, priority, runsAfterFailure: true, .async { try await body(repeat (each nodes).outcome) }),
            after: list(repeat each predecessor)
        )
    }

    /// The same for a closure that does not need the results.
    @discardableResult
    public func add<each Input, Value>(
        _ label: String = "", after predecessor: repeat WorkOperation<each Input>, runs: EvenAfterFailure,
        priority: OperationPriority = .normal, _ body: @escaping @Sendable () throws -> Value
    ) -> WorkOperation<Value> {
        add(ValueNode(label, priority, runsAfterFailure: true, .sync(body)), after: list(repeat each predecessor))
    }

    /// The same for an async closure that does not need the results.
    @discardableResult
    public func add<each Input, Value>(
        _ label: String = "", after predecessor: repeat WorkOperation<each Input>, runs: EvenAfterFailure,
        priority: OperationPriority = .normal, _ body: @escaping @Sendable () async throws -> Value
    ) -> WorkOperation<Value> {
        add(ValueNode(label, priority, runsAfterFailure: true, .async(body)), after: list(repeat each predecessor))
    }
}
