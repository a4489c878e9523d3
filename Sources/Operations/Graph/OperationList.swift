/// A list of operations through their own links: added at its end, removed anywhere, each in constant time and without memory.
///
/// It holds a reference to each of its operations. Under the lock of ``OperationGraph``.
struct OperationList {
    private var head: Unmanaged<OperationNode>?
    private var last: Unmanaged<OperationNode>?

    var first: OperationNode? { head?.takeUnretainedValue() }

    mutating func append(_ node: OperationNode) {
        let link = Unmanaged.passRetained(node)
        node.previous = last
        node.next = nil
        if let last { last._withUnsafeGuaranteedRef { $0.next = link } } else { head = link }
        last = link
    }

    /// Removes the operation. The caller has a reference, so that it is not destroyed here.
    mutating func remove(_ node: OperationNode) {
        if let previous = node.previous { previous._withUnsafeGuaranteedRef { $0.next = node.next } } else { head = node.next }
        if let next = node.next { next._withUnsafeGuaranteedRef { $0.previous = node.previous } } else { last = node.previous }
        node.previous = nil
        node.next = nil
        Unmanaged.passUnretained(node).release()
    }

    mutating func popFirst() -> OperationNode? {
        guard let node = first else { return nil }
        remove(node)
        return node
    }

    /// All operations, first to last.
    var all: [OperationNode] {
        var all: [OperationNode] = []
        var node = first
        while let one = node {
            all.append(one)
            node = one.next?.takeUnretainedValue()
        }
        return all
    }
}
