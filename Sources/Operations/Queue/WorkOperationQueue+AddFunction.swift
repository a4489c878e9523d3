// WorkOperationQueue+AddFunction.swift: functions of one to three predecessors' values, by name.
//
// Swift takes every argument without a label behind `after:` as one more predecessor, so `add(after: one, two, combine)` does not find the
// `add` with any number of predecessors; only a closure in braces does, or a function behind `priority:`. The calls here find it. They are
// never chosen for a closure in braces. A function that needs no value goes into braces, too.

extension WorkOperationQueue {
    /// Adds an operation that calls a function with the value of a predecessor.
    @_disfavoredOverload @discardableResult
    public func add<First, Value>(
        _ label: String = "", after first: WorkOperation<First>,
        _ body: @escaping @Sendable (First) throws -> Value
    ) -> WorkOperation<Value> {
        add(label, after: first, priority: .normal, body)
    }

    /// Adds an operation that calls an async function with the value of a predecessor.
    @_disfavoredOverload @discardableResult
    public func add<First, Value>(
        _ label: String = "", after first: WorkOperation<First>,
        _ body: @escaping @Sendable (First) async throws -> Value
    ) -> WorkOperation<Value> {
        add(label, after: first, priority: .normal, body)
    }

    /// Adds an operation that calls a function with the values of two predecessors.
    @_disfavoredOverload @discardableResult
    public func add<First, Second, Value>(
        _ label: String = "", after first: WorkOperation<First>, _ second: WorkOperation<Second>,
        _ body: @escaping @Sendable (First, Second) throws -> Value
    ) -> WorkOperation<Value> {
        add(label, after: first, second, priority: .normal, body)
    }

    /// Adds an operation that calls an async function with the values of two predecessors.
    @_disfavoredOverload @discardableResult
    public func add<First, Second, Value>(
        _ label: String = "", after first: WorkOperation<First>, _ second: WorkOperation<Second>,
        _ body: @escaping @Sendable (First, Second) async throws -> Value
    ) -> WorkOperation<Value> {
        add(label, after: first, second, priority: .normal, body)
    }

    /// Adds an operation that calls a function with the values of three predecessors.
    @_disfavoredOverload @discardableResult
    public func add<First, Second, Third, Value>(
        _ label: String = "", after first: WorkOperation<First>, _ second: WorkOperation<Second>, _ third: WorkOperation<Third>,
        _ body: @escaping @Sendable (First, Second, Third) throws -> Value
    ) -> WorkOperation<Value> {
        add(label, after: first, second, third, priority: .normal, body)
    }

    /// Adds an operation that calls an async function with the values of three predecessors.
    @_disfavoredOverload @discardableResult
    public func add<First, Second, Third, Value>(
        _ label: String = "", after first: WorkOperation<First>, _ second: WorkOperation<Second>, _ third: WorkOperation<Third>,
        _ body: @escaping @Sendable (First, Second, Third) async throws -> Value
    ) -> WorkOperation<Value> {
        add(label, after: first, second, third, priority: .normal, body)
    }
}
