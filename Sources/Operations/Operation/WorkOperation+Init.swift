extension WorkOperation {
    /// Makes an operation that is in no queue. Give it dependencies by ``add(dependency:)``, then add it to a queue.
    ///
    /// ```swift
    /// let queue = WorkOperationQueue(label: "com.example.report", width: 2)
    /// let report = WorkOperation("report") { print("all pages are there") }
    /// for page in 1...2 {
    ///     try report.add(dependency: queue.add("page") { print("a page, of \(page) or so") })
    /// }
    /// try queue.add(report)
    /// await queue.drain()
    /// ```
    ///
    /// - Parameters:
    ///   - label: Names the operation in messages.
    ///   - priority: Which of the operations that are ready start first.
    ///   - runs: `.evenAfterFailure`: it runs whatever its dependencies end with.
    ///   - body: What it does. Released when it has run, or when it is certain that it never will. Don't pass an actor's method by name:
    ///     Swift 6.3 accepts it, and it would run without the actor.
    public init(
        _ label: String = "", priority: OperationPriority = .normal, runs: EvenAfterFailure? = nil,
        _ body: @escaping @Sendable () throws -> Value
    ) {
        self.init(owned: ValueNode(label, priority, runsAfterFailure: runs != nil, .sync(body)))
    }

    /// Makes an async operation that is in no queue.
    public init(
        _ label: String = "", priority: OperationPriority = .normal, runs: EvenAfterFailure? = nil,
        _ body: @escaping @Sendable () async throws -> Value
    ) {
        self.init(owned: ValueNode(label, priority, runsAfterFailure: runs != nil, .async(body)))
    }
}
