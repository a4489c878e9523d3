import SerialQueue

/// What remains to be done after the lock of ``OperationGraph`` was released: everything that may run user code, or takes long.
struct Aftermath {
    /// Operations that ended without having run, whose closures must be released.
    var discarded: [OperationNode] = []
    /// Tasks of running operations that must be cancelled.
    var cancelled: [Task<Void, Never>] = []
    /// Lanes that have got work, with their queues: by now another lane may have ended the last operation of the queue.
    var lanes: [(lane: Lane, core: QueueCore)] = []
    var drained: [UnsafeContinuation<Void, Never>] = []
    /// The items of callers that must find out again what they need.
    var items: [WorkItem] = []
    /// The items of callers whose wait is over.
    var endedItems: [WorkItem] = []
    /// Waits that must find out again what they need, with the lock.
    var followers: [Waiter] = []
    /// References that may be the last ones.
    private var nodes: [[OperationNode]] = []
    private var node: [OperationNode] = []
    var tasks: [Task<Void, Never>] = []
    var cores: [QueueCore] = []

    /// Records that these waits have ended.
    mutating func ended(_ list: inout [Waiter]) {
        guard !list.isEmpty else { return }
        let waiters = list
        list = []
        for waiter in waiters { OperationGraph.forget(waiter, &self) }
    }

    /// Releases these nodes later.
    mutating func released(_ nodes: inout [OperationNode]) {
        guard !nodes.isEmpty else { return }
        self.nodes.append(nodes)
        nodes = []
    }

    /// Releases this node later.
    mutating func released(_ node: OperationNode) {
        self.node.append(node)
    }

    /// Call it without the lock.
    consuming func perform() {
        for item in items { item.cancel() }  // before user code, for which their old place would be wrong
        for (lane, core) in lanes { lane.post(for: core) }
        for node in discarded { node.discard() }
        for task in cancelled { task.cancel() }
        for item in endedItems { item.cancel() }
        for caller in drained { caller.resume() }
    }
}
