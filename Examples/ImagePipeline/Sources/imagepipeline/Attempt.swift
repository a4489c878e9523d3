import Foundation
import SerialQueueOperations
import Synchronization

/// One attempt to process a row: load → decode → filter → write, and `end`, which runs whatever happens to them.
///
/// The stages behind `load` have high priority, so a picture that was begun is finished before another file is loaded. So at most
/// as many pictures are under way as the queue is wide, however many rows were added: that bounds the memory.
final class Attempt: Sendable {
    enum Outcome: Sendable { case written, failed(String), cancelled }

    /// Ends last. Only this one is kept; its value is small.
    let end: WorkOperation<Outcome>
    private let state: State
    private let number: Int  // in the timeline
    private let timeline: Timeline

    /// The handles of the stages hold their values: they are dropped at the end, and by `cancel`.
    private final class State: Sendable {
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
    init(row: Int, of job: Job, on queue: WorkOperationQueue, after earlier: Attempt? = nil, _ timeline: Timeline) {
        let state = State(), number = timeline.attempt(row)
        let loadFile: @Sendable () throws -> Data = { try timeline.measure(number, .load) { try job.load(row) } }
        let load =
            if let earlier {
                queue.add("load \(row)", after: earlier.end, priority: .normal, loadFile)
            } else {
                queue.add("load \(row)", loadFile)
            }
        let decode = queue.add("decode \(row)", after: load, priority: .high) { data in
            try timeline.measure(number, .decode) { try Picture.decode(data) }
        }
        let filter = queue.add("filter \(row)", after: decode, priority: .high) { picture in
            timeline.measure(number, .filter) { job.filter(picture) }
        }
        let write = queue.add("write \(row)", after: filter, priority: .high) { picture in
            try timeline.measure(number, .write) { try job.write(picture, row) }
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
        (self.state, self.number, self.timeline) = (state, number, timeline)
    }

    var isCancelled: Bool { state.isCancelled.load(ordering: .relaxed) }

    /// Stages that have not started never run; one that runs ends first.
    func cancel() {
        state.isCancelled.store(true, ordering: .relaxed)
        timeline.cancelled(number)
        for cancel in state.takeCancels() { cancel() }
    }

    /// What became of it; `nil`: it has not ended.
    var outcome: Outcome? { try? end.result?.get() }
}
