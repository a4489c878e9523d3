import SerialQueue

/// What remains to be done after the lock of ``OperationGraph`` was released: whatever may run user code, or takes long.
struct Aftermath {
    /// Operations that ended without having run: their closures are to be released.
    var discarded: [OperationNode] = []
    /// Tasks of running operations that are to be cancelled.
    var cancelled: [Task<Void, Never>] = []
    /// Lanes that have got work.
    var lanes: [Lane] = []
    var drained: [UnsafeContinuation<Void, Never>] = []
    /// What callers wait for that have to look again what they need.
    var items: [WorkItem] = []
    /// What callers wait for whose wait is over.
    var endedItems: [WorkItem] = []
    /// Waits that have to look again what they need, with the lock.
    var followers: [Waiter] = []
    /// References that may be the last ones.
    private var nodes: [[OperationNode]] = []
    private var node: [OperationNode] = []
    var tasks: [Task<Void, Never>] = []
    var cores: [QueueCore] = []

    /// These waits have ended.
    mutating func ended(_ list: inout [Waiter]) {
        guard !list.isEmpty else { return }
        let waiters = list
        list = []
        for waiter in waiters { OperationGraph.forget(waiter, &self) }
    }

    /// Releases these later.
    mutating func released(_ nodes: inout [OperationNode]) {
        guard !nodes.isEmpty else { return }
        self.nodes.append(nodes)
        nodes = []
    }

    /// Releases it later.
    mutating func released(_ node: OperationNode) {
        self.node.append(node)
    }

    /// Call it without the lock.
    consuming func perform() {
        for item in items { item.cancel() }  // before user code, for which their old place would be wrong
        for lane in lanes { lane.post() }
        for node in discarded { node.discard() }
        for task in cancelled { task.cancel() }
        for item in endedItems { item.cancel() }
        for caller in drained { caller.resume() }
    }
}
