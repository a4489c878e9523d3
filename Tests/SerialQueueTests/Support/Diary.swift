import SerialQueue
import SerialQueueOrdered

/// Keeps what it gets, in order.
actor Diary {
    nonisolated let queue = ActorQueue<Diary>()
    private(set) var lines: [Int] = []
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void = {}) {
        self.onRelease = onRelease
        queue.adoptExecutionContext(of: self)
    }

    deinit {
        onRelease()
    }

    func write(_ line: Int) {
        lines.append(line)
    }

    nonisolated func enqueueThousand() {
        for line in 0..<1_000 {
            queue.enqueue { $0.write(line) }
        }
    }
}
