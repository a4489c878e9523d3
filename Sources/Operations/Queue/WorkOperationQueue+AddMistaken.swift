// WorkOperationQueue+AddMistaken.swift: what the compiler says about a closure whose parameters have other types than its predecessors' values.
//
// Without these the compiler takes such a closure for one without parameters, and says that it "expects 0 arguments". They are chosen only if no
// other `add` fits, and cannot be called.

extension WorkOperationQueue {
    /// No such call: the parameters of the closure are the values of the predecessors.
    @available(*, unavailable, message: "The closure's parameters are the predecessors' values, in their order and of their types.")
    @_disfavoredOverload @discardableResult
    public func add<each Input, each Parameter, Value>(
        _ label: String = "", after predecessor: repeat WorkOperation<each Input>, priority: OperationPriority = .normal,
        _ body: @escaping @Sendable (repeat each Parameter) async throws -> Value,
        asMany: (repeat (each Input, each Parameter))? = nil
    ) -> WorkOperation<Value> {
        fatalError()
    }

    /// No such call: the parameters of the closure are the results of the predecessors.
    @available(*, unavailable, message: "The closure's parameters are the predecessors' results: of type Result<Value, any Error> each, in order.")
    @_disfavoredOverload @discardableResult
    public func add<each Input, each Parameter, Value>(
        _ label: String = "", after predecessor: repeat WorkOperation<each Input>, runs: EvenAfterFailure,
        priority: OperationPriority = .normal, _ body: @escaping @Sendable (repeat each Parameter) async throws -> Value,
        asMany: (repeat (each Input, each Parameter))? = nil
    ) -> WorkOperation<Value> {
        fatalError()
    }
}
