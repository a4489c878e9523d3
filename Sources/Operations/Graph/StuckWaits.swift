import SerialQueue

/// Finds out whether a wait inside an operation would never end. With the lock of ``OperationGraph``.
///
/// Everything that the wait needs is collected: an operation that is not running needs its predecessors and a slot of its
/// queue; one that runs needs the ends of its own waits; a slot, if none is free, needs any one of the operations that run.
/// Whatever needs nothing may continue; then what needs only that may continue, and so on. What remains is stuck. An operation
/// that runs and does not wait may continue, and so may one that is in no queue, as any thread may add it. So there is no false
/// alarm.
///
/// These cycles are not found: through a full queue of a width above one and a serial queue, as any one of the operations could end; through
/// an async operation that blocks its thread; through an `await` in a child task of an async operation.
struct StuckWaits {
    private enum Need {
        case operation(OperationNode)
        case slot(QueueCore)
        case queue(QueueCore)
    }

    private struct Vertex {
        let need: Need
        var needs: [Int] = []
        var needsAll = true
        var continues = false
    }

    private var vertices: [Vertex] = []
    private var indices: [ObjectIdentifier: Int] = [:]
    private var slots: [ObjectIdentifier: Int] = [:]
    private let waits: [Waiter]

    init(from target: Waiter.Target, among waits: [Waiter]) {
        self.waits = waits
        _ = index(of: target)
        var next = 0
        while next < vertices.count {
            expand(next)
            next += 1
        }
        settle()
    }

    /// Whether the wait that the search began with would never end.
    var isStuck: Bool { !vertices[0].continues }

    /// The waits that keep each other from ending.
    var stuck: [Waiter] {
        waits.filter { waiter in indices[ObjectIdentifier(waiter.blocked!)].map { !vertices[$0].continues } ?? false }
    }

    private mutating func index(of target: Waiter.Target) -> Int {
        switch target {
        case .operation(let node): vertex(.operation(node), ObjectIdentifier(node))
        case .queue(let core): vertex(.queue(core), ObjectIdentifier(core))
        }
    }

    private mutating func vertex(_ need: Need, _ object: ObjectIdentifier) -> Int {
        if let known = indices[object] { return known }
        indices[object] = vertices.count
        vertices.append(Vertex(need: need))
        return vertices.count - 1
    }

    private mutating func index(ofSlot core: QueueCore) -> Int {
        if let known = slots[ObjectIdentifier(core)] { return known }
        slots[ObjectIdentifier(core)] = vertices.count
        vertices.append(Vertex(need: .slot(core)))
        return vertices.count - 1
    }

    private mutating func expand(_ index: Int) {
        var needs: [Int] = []
        switch vertices[index].need {
        case .operation(let node):
            switch node.stage {
            case .made, .ended: break
            case .pending, .ready:
                for one in node.predecessors where one.stage != .ended { needs.append(self.index(of: .operation(one))) }
                needs.append(self.index(ofSlot: node.core!))
            case .running:
                for wait in waits where wait.blocked === node { needs.append(self.index(of: wait.target)) }
            }
        case .slot(let core):
            vertices[index].needsAll = false
            if core.isFull { for one in core.unfinished(.running) { needs.append(self.index(of: .operation(one))) } }
        case .queue(let core):
            for one in core.unfinished() { needs.append(self.index(of: .operation(one))) }
        }
        vertices[index].needs = needs
        vertices[index].continues = needs.isEmpty
    }

    /// Marks everything that may continue.
    private mutating func settle() {
        var isChanged = true
        while isChanged {
            isChanged = false
            for index in vertices.indices.reversed() where !vertices[index].continues {
                let vertex = vertices[index]
                let continues = vertex.needsAll
                    ? vertex.needs.allSatisfy { vertices[$0].continues } : vertex.needs.contains { vertices[$0].continues }
                if continues {
                    vertices[index].continues = true
                    isChanged = true
                }
            }
        }
    }

    /// Which operation waits for which, and which queues are full.
    var report: String {
        var sentences = stuck.map { waiter in
            let target =
                switch waiter.target {
                case .operation(let node): "operation \"\(node.label)\""
                case .queue(let core): "all operations of queue \"\(core.label)\""
                }
            let limit = waiter.deadline == nil ? "" : ", with a deadline"
            return "operation \"\(waiter.blocked!.label)\" waits for \(target)\(limit)"
        }
        for vertex in vertices where !vertex.continues && sentences.count < 16 {
            switch vertex.need {
            case .operation(let node) where node.stage != .running:
                let needs = vertex.needs.compactMap { index -> String? in
                    guard case .operation(let one) = vertices[index].need, !vertices[index].continues else { return nil }
                    return "\"\(one.label)\""
                }
                if !needs.isEmpty { sentences.append("\"\(node.label)\" depends on \(needs.joined(separator: ", "))") }
            case .slot(let core):
                let names = core.unfinished(.running).map { "\"\($0.label)\"" }.joined(separator: ", ")
                sentences.append("queue \"\(core.label)\" of width \(core.width) is full with \(names)")
            case .operation, .queue: break
            }
        }
        return "deadlock: " + sentences.joined(separator: "; ")
    }
}

extension OperationGraph {
    /// Refuses waits until this one can end: each time the stuck wait with the earliest deadline, which cannot succeed; among
    /// equals the newest. A wait that cannot be refused ends the program if there is no other.
    static func refuseStuck(from target: Waiter.Target, _ after: inout Aftermath) {
        while true {
            let search = StuckWaits(from: target, among: blockedWaits), stuck = search.stuck
            guard search.isStuck, let newest = stuck.last else { return }
            guard var refused = stuck.last(where: { $0.caller == nil }) else { drainRefused(newest.label, search.report) }
            for other in stuck.reversed() {
                if let deadline = other.deadline, refused.deadline.map({ deadline < $0 }) ?? true { refused = other }
            }
            let why = refused.deadline == nil ? "" : ", as it has the earliest deadline"
            refused.refusal = "\(search.report). The wait of \"\(refused.blocked!.label)\" was refused\(why). "
                + "Make the operation depend on what it waits for (after:), or give the queue more width."
            _ = withdraw(refused, &after)
        }
    }
}
