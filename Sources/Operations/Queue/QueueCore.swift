import SerialQueue

/// What a queue is made of. Its operations keep it until they have ended, so the handle may be dropped at any time.
///
/// All methods are called with the lock of ``OperationGraph``.
///
/// Unchecked Sendable: the fields are fixed after init, or under that lock.
final class QueueCore: @unchecked Sendable {
    let label: String
    let width: Int
    let pool: WorkerPool

    /// Operations that wait for predecessors, that wait for a lane, by priority, and that run.
    private var pending = OperationList()
    private var high = OperationList(), normal = OperationList(), low = OperationList()
    private var running = OperationList()
    private var readyCount = 0
    private var idle: [Lane] = []
    /// How many lanes have an operation, or will look for one.
    private var busy = 0
    /// How many lanes will look for an operation. While there are free slots, these are at least as many as the ready operations.
    private var looking = 0
    private var suspensions = 0
    private(set) var isDropped = false
    private(set) var progress = WorkProgress(finished: 0, total: 0)
    /// Waits for a change of `progress`, and for its completion.
    private var listeners: [Waiter] = []
    private(set) var drains: [Waiter] = []
    /// Waits that look again when a lane takes an operation.
    var followers: [Waiter] = []

    init(label: String, width: Int, pool: WorkerPool) {
        self.label = label
        self.width = width
        self.pool = pool
    }
}

// MARK: The life of an operation

extension QueueCore {
    /// Takes the operation in; its dependencies are complete. With a `failure` it ends at once.
    func add(_ node: OperationNode, failure: (any Error)? = nil, _ after: inout Aftermath) {
        node.isAdded = true
        progress.total += 1
        after.ended(&listeners)
        guard node.stage == .made else { return countEnd(&after) }  // it has been cancelled
        node.core = self
        if !node.followers.isEmpty { after.changed(node) }
        if failure == nil, node.unfinished == 0 {
            makeReady(node, &after)
        } else {
            node.step(.waits)
            pending.append(node)
            if let failure { OperationGraph.end(node, failure, &after) }
        }
    }

    /// Called when the last predecessor of the operation has ended.
    func becomeReady(_ node: OperationNode, _ after: inout Aftermath) {
        pending.remove(node)
        makeReady(node, &after)
    }

    private func makeReady(_ node: OperationNode, _ after: inout Aftermath) {
        node.step(.isFree)
        switch node.priority {
        case .high: high.append(node)
        case .normal: normal.append(node)
        case .low: low.append(node)
        }
        readyCount += 1
        wakeLanes(&after)
    }

    private func wakeLanes(_ after: inout Aftermath) {
        while readyCount > looking, busy < width, suspensions == 0 {
            after.lanes.append((idle.popLast() ?? Lane(of: self, number: busy + 1), self))
            busy += 1
            looking += 1
        }
    }

    /// The next operation for a lane that was looking; `nil`: the lane is idle now.
    func take(for lane: Lane, _ after: inout Aftermath) -> OperationNode? {
        looking -= 1
        if suspensions == 0, let node = high.popFirst() ?? normal.popFirst() ?? low.popFirst() {
            readyCount -= 1
            node.step(.starts)
            node.lane = lane
            running.append(node)
            // Waits that need a ready operation follow the queue, or the only one that runs (WaitPath.swift).
            if !followers.isEmpty { after.changed(self) }
            return node
        }
        busy -= 1
        idle.append(lane)
        return nil
    }

    /// Called when the closure of the operation has returned. The lane then looks for another one.
    func end(_ node: OperationNode, _ after: inout Aftermath) {
        looking += 1
        running.remove(node)
        OperationGraph.finish(node, &after)
    }

    /// Removes an operation that will end without having run.
    func remove(_ node: OperationNode) {
        switch (node.stage, node.priority) {
        case (.pending, _): return pending.remove(node)
        case (_, .high): high.remove(node)
        case (_, .normal): normal.remove(node)
        case (_, .low): low.remove(node)
        }
        readyCount -= 1
    }

    /// Counts one more ended operation.
    func countEnd(_ after: inout Aftermath) {
        progress.finished += 1
        after.ended(&listeners)
        if progress.finished == progress.total { after.ended(&drains) }
    }
}

// MARK: For waits

extension QueueCore {
    /// Whether all slots are taken.
    var isFull: Bool { running.all.count >= width }

    /// The operation that every other one has to wait for; `nil`: there is none.
    var onlyOne: OperationNode? { width == 1 ? running.first : nil }

    /// An unfinished operation: if possible one that blocks a thread, and among those the one that blocks this lane. `nil`: there is
    /// none.
    func nextToEnd(on lane: Lane?) -> OperationNode? {
        let blocking = running.all.filter(\.isOnThread)
        return blocking.first { $0.lane === lane } ?? blocking.first ?? high.first ?? normal.first ?? low.first
            ?? pending.first ?? running.first
    }

    /// Whether an operation waits until all operations of the queue have ended.
    var isDrainedByOperation: Bool { drains.contains { $0.blocked != nil } }

    /// The operations that have not ended, or those of one stage.
    func unfinished(_ stage: OperationNode.Stage? = nil) -> [OperationNode] {
        stage == .running ? running.all : pending.all + high.all + normal.all + low.all + running.all
    }
}

// MARK: The calls of the handle

extension QueueCore {
    func suspend() {
        suspensions += 1
    }

    func resume(_ after: inout Aftermath) -> Bool {
        guard suspensions > 0 else { return false }
        suspensions -= 1
        wakeLanes(&after)
        return true
    }

    /// Called when the last handle is released: then nothing can resume the queue.
    func drop(_ after: inout Aftermath) {
        isDropped = true
        suspensions = 0
        wakeLanes(&after)
        after.ended(&listeners)
    }

    func cancelAll(_ after: inout Aftermath) {
        for node in unfinished() { OperationGraph.cancel(node, &after) }
    }

    /// Adds a wait for the end of all operations. False: all have ended, and the caller need not wait.
    func drain(_ waiter: Waiter) -> Bool {
        guard progress.finished < progress.total else { return false }
        drains.append(waiter)
        return true
    }

    func listen(_ waiter: Waiter) {
        listeners.append(waiter)
    }

    func forget(_ waiter: Waiter) {
        listeners.removeAll { $0 === waiter }
        drains.removeAll { $0 === waiter }
    }
}
