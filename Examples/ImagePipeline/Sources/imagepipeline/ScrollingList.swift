import SerialQueueOperations

/// A list that shows some of the rows, and prepares as many more around them.
///
/// Rows that leave the window are cancelled. A row that becomes visible before it was begun gets the priority of a visible one.
struct ScrollingList {
    private let job: Job
    private let queue: WorkOperationQueue
    private let timeline: Timeline
    private let height: Int
    private var attempts: [Attempt?]
    private var window = 0..<0
    private(set) var cancelled = 0

    init(_ job: Job, on queue: WorkOperationQueue, height: Int, _ timeline: Timeline) {
        (self.job, self.queue, self.height, self.timeline) = (job, queue, height, timeline)
        attempts = Array(repeating: nil, count: job.files.count)
    }

    /// The user flings the list to its end: at every fourth screen, one picture appears before the next screens rush by. Then
    /// the user scrolls back row by row, and waits for the picture of each. Returns why rows failed; no row is left out.
    mutating func run() async throws -> [Int: String] {
        let rows = attempts.count
        for top in stride(from: 0, to: rows, by: height) {
            show(from: top)
            if top / height % 4 == 0 { _ = try await attempts[top]!.end.value }
        }
        var failures: [Int: String] = [:]
        for row in (0..<rows).reversed() {
            show(from: max(0, row - height + 1))
            if case .failed(let message) = try await attempts[row]!.end.value { failures[row] = message }
        }
        return failures
    }

    private mutating func show(from top: Int) {
        let rows = 0..<attempts.count
        let visible = (top..<top + height).clamped(to: rows)
        let near = (top - height..<top + 2 * height).clamped(to: rows)
        for row in window where !near.contains(row) {
            guard let attempt = attempts[row], attempt.outcome == nil else { continue }
            attempt.cancel()
            cancelled += 1
        }
        window = near
        for row in visible { add(row, isVisible: true) }
        for row in near where !visible.contains(row) { add(row, isVisible: false) }
    }

    private mutating func add(_ row: Int, isVisible: Bool) {
        let earlier = attempts[row]
        switch earlier?.outcome {
        case .written, .failed: return
        case nil where earlier != nil && !earlier!.isCancelled:
            if earlier!.isVisible || !isVisible || earlier!.hasStarted { return }
            earlier!.cancel()  // and again, with another priority
        default: break
        }
        attempts[row] = Attempt(row: row, of: job, on: queue, isVisible: isVisible, after: earlier, timeline)
    }
}
