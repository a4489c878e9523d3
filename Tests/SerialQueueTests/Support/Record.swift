import Synchronization

/// What was seen, in order, by any thread.
final class Record<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) {
        elements.withLock { $0.append(element) }
    }
}

/// How many were at one place at a time.
final class Overlap: Sendable {
    private let now = Atomic(0)
    private let highest = Atomic(0)

    var most: Int { highest.load(ordering: .sequentiallyConsistent) }

    func visit() {
        highest.max(now.add(1, ordering: .sequentiallyConsistent).newValue, ordering: .sequentiallyConsistent)
        now.subtract(1, ordering: .sequentiallyConsistent)
    }
}
