import SerialQueueOperations

/// A list that shows some of the rows, and has the pictures of those only.
///
/// While the user scrolls the queue is suspended: rows that rush by are added, and nothing is begun for them. When the list stops,
/// rows that are not on the screen are cancelled, rows that are on it and were not added yet are added, and the queue is resumed.
struct ScrollingList {
    private let job: Job
    private let queue: WorkOperationQueue
    private let timeline: Timeline
    private let height: Int
    private var attempts: [Attempt?]
    /// Rows that were added, and have neither been cancelled nor seen to end.
    private var wanted: Set<Int> = []

    private(set) var cancelled = 0
    private(set) var scrolling = Duration.zero

    init(_ job: Job, on queue: WorkOperationQueue, height: Int, _ timeline: Timeline) {
        (self.job, self.queue, self.height, self.timeline) = (job, queue, height, timeline)
        attempts = Array(repeating: nil, count: job.files.count)
    }

    /// The user stops at every fourth screen. At every second stop all pictures are waited for; at the others only one, and the user
    /// scrolls on while some are being decoded. From the end the user returns to the last stop where that happened. Returns the rows
    /// whose pictures were waited for, and why some of them failed.
    mutating func run() async throws -> (seen: Set<Int>, failures: [Int: String]) {
        let stops = Array(stride(from: 0, to: attempts.count, by: 4 * height))
        var seen: Set<Int> = [], failures: [Int: String] = [:], impatient: [Int] = [], top = 0
        func visible(_ top: Int) -> Range<Int> { (top..<top + height).clamped(to: attempts.indices) }

        func wait(for rows: Range<Int>) async throws {
            for row in rows {
                if case .failed(let message) = try await attempts[row]!.end.value { failures[row] = message }
                seen.insert(row)
            }
        }
        for (number, stop) in stops.enumerated() {
            try await scroll(from: top, to: stop)
            top = stop
            let isPatient = number % 2 == 0 || number == stops.count - 1
            if !isPatient { impatient.append(stop) }
            try await wait(for: isPatient ? visible(stop) : visible(stop).prefix(1))
        }
        if let back = impatient.last {
            try await scroll(from: top, to: back)
            try await wait(for: visible(back))
        }
        return (seen, failures)
    }

    /// As a list calls it: the drag begins, rows appear, and the list stops.
    private mutating func scroll(from: Int, to: Int) async throws {
        queue.suspend()
        let began = timeline.now()
        for top in stride(from: from, to: to, by: from < to ? height : -height) {
            for row in (top..<top + height).clamped(to: attempts.indices) { add(row) }
            try await Task.sleep(for: .milliseconds(8))  // a frame of the screen
        }
        let visible = (to..<to + height).clamped(to: attempts.indices)
        for row in wanted where !visible.contains(row) {
            wanted.remove(row)
            if attempts[row]!.outcome == nil {
                attempts[row]!.cancel()
                cancelled += 1
            }
        }
        for row in visible { add(row) }
        timeline.scrolled(from: began)
        scrolling += .seconds(timeline.now() - began)
        queue.resume()
    }

    /// Adds a row that has no picture and is not on its way. After an attempt that was cancelled: that one may still be writing.
    private mutating func add(_ row: Int) {
        switch attempts[row]?.outcome {
        case .written, .failed: return
        case nil where attempts[row].map({ !$0.isCancelled }) ?? false: return
        default: break
        }
        attempts[row] = Attempt(row: row, of: job, on: queue, after: attempts[row], timeline)
        wanted.insert(row)
    }
}
