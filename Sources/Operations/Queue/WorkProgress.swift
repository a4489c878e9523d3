import SerialQueue

/// How many operations of a queue have ended, of how many that were ever added.
public struct WorkProgress: Sendable, Hashable {
    /// How many have ended, in whatever way.
    public internal(set) var finished: Int
    /// How many were added.
    public internal(set) var total: Int

    /// What part has ended: 0 to 1; 1 if none was added.
    public var fraction: Double { total == 0 ? 1 : Double(finished) / Double(total) }
}

/// The progress of a queue, each time that it has changed. A slow reader gets the newest.
///
/// It begins with the progress as it is, and ends when the queue's handle is gone and all operations have ended, or when
/// the reader is cancelled.
public struct WorkProgressUpdates: AsyncSequence, Sendable {
    let core: QueueCore

    /// Returns an iterator that begins with the progress as it is.
    public func makeAsyncIterator() -> Iterator {
        Iterator(core: core)
    }

    /// Reads the progress of one queue.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let core: QueueCore
        private var last: WorkProgress?

        fileprivate init(core: QueueCore) {
            self.core = core
        }

        private enum Step {
            case value(WorkProgress)
            case wait(Waiter, WorkItem)
            case end
        }

        /// Waits until the progress differs from the last one that this iterator returned; `nil`: there will be no other.
        public mutating func next() async -> WorkProgress? {
            while !Task.isCancelled {
                switch look() {
                case .end: return nil
                case .value(let progress):
                    last = progress
                    return progress
                case .wait(let waiter, let item):
                    do { _ = try await item.outcome } catch { _ = waiter.withdraw() }
                }
            }
            return nil
        }

        private func look() -> Step {
            let waiter = Waiter(for: .queue(core), within: nil, blocks: false), item = WorkItem(label: core.label) {}
            return OperationGraph.look {
                if core.progress != last { return .value(core.progress) }
                if core.isDropped, core.progress.finished == core.progress.total { return .end }
                waiter.item = item
                core.listen(waiter)
                return .wait(waiter, item)
            }
        }
    }
}
