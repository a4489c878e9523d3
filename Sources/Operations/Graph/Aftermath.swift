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
    private var waiters: [Waiter] = []
    /// References that may be the last ones.
    private var nodes: [[OperationNode]] = []
    var tasks: [Task<Void, Never>] = []
    var cores: [QueueCore] = []

    /// These waits have ended.
    mutating func ended(_ waiters: inout [Waiter]) {
        guard !waiters.isEmpty else { return }
        for waiter in waiters { OperationGraph.forget(waiter) }
        self.waiters += waiters
        waiters = []
    }

    /// This wait would never end.
    mutating func refused(_ waiter: Waiter) {
        waiters.append(waiter)
    }

    /// Releases these later.
    mutating func released(_ nodes: inout [OperationNode]) {
        guard !nodes.isEmpty else { return }
        self.nodes.append(nodes)
        nodes = []
    }

    /// Call it without the lock.
    consuming func perform() {
        for lane in lanes { lane.post() }
        for node in discarded { node.discard() }
        for task in cancelled { task.cancel() }
        for waiter in waiters { waiter.group.leave() }
        for caller in drained { caller.resume() }
    }
}
