import Foundation
import SerialQueueOperations
import Synchronization

/// One attempt to process a row: load → decode → filter → write, and `end`, which runs whatever happens to them.
///
/// The stages behind `load` have high priority, so a picture that was begun is finished before another file is loaded. So at most
/// as many pictures are under way as the queue is wide, however many rows were added: that bounds the memory. Rows compete with
/// the priority of `load`: normal for those that are visible, low for those that may be soon.
final class Attempt: Sendable {
    enum Outcome: Sendable { case written, failed(String), cancelled }

    let isVisible: Bool
    /// Ends last. Only this one is kept; its value is small.
    let end: WorkOperation<Outcome>
    private let state: State

    /// The handles of the stages hold their values: they are dropped at the end, and by `cancel`.
    private final class State: Sendable {
        let hasStarted = Atomic(false)
        let isCancelled = Atomic(false)
        let cancels = Mutex<[@Sendable () -> Void]>([])

        func takeCancels() -> [@Sendable () -> Void] {
            cancels.withLock { cancels in
                defer { cancels = [] }
                return cancels
            }
        }
    }

    /// - Parameter earlier: The attempt before, which was cancelled but may still write.
    init(row: Int, of job: Job, on queue: WorkOperationQueue, isVisible: Bool, after earlier: Attempt?, _ timeline: Timeline) {
        let state = State()
        let loadFile: @Sendable () throws -> Data = {
            state.hasStarted.store(true, ordering: .relaxed)
            return try timeline.measure(row, .load) { try job.load(row) }
        }
        let priority: OperationPriority = isVisible ? .normal : .low
        let load =
            if let earlier {
                queue.add("load \(row)", after: earlier.end, priority: priority, loadFile)
            } else {
                queue.add("load \(row)", priority: priority, loadFile)
            }
        let decode = queue.add("decode \(row)", after: load, priority: .high) { data in
            try timeline.measure(row, .decode) { try Picture.decode(data) }
        }
        let filter = queue.add("filter \(row)", after: decode, priority: .high) { picture in
            timeline.measure(row, .filter) { job.filter(picture) }
        }
        let write = queue.add("write \(row)", after: filter, priority: .high) { picture in
            try timeline.measure(row, .write) { try job.write(picture, row) }
        }
        // Before `end` can run, which drops them.
        state.cancels.withLock { $0 = [load.cancel, decode.cancel, filter.cancel, write.cancel] }
        end = queue.add("end \(row)", after: write, runs: .evenAfterFailure, priority: .high) { result in
            _ = state.takeCancels()
            switch result {
            case .success: return .written
            case .failure(is CancellationError): return .cancelled
            case .failure(let error): return .failed("\(error)")
            }
        }
        self.state = state
        self.isVisible = isVisible
    }

    var hasStarted: Bool { state.hasStarted.load(ordering: .relaxed) }

    var isCancelled: Bool { state.isCancelled.load(ordering: .relaxed) }

    /// Stages that have not started never run; one that runs ends first.
    func cancel() {
        state.isCancelled.store(true, ordering: .relaxed)
        for cancel in state.takeCancels() { cancel() }
    }

    /// What became of it; `nil`: it has not ended.
    var outcome: Outcome? { try? end.result?.get() }
}
