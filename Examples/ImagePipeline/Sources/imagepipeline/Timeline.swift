import Foundation
import Synchronization

enum Stage: String, CaseIterable, Sendable {
    case load, decode, filter, write
}

/// When which stage of which attempt ran, which attempts were cancelled, and when the list scrolled. TimelinePicture.swift draws it.
final class Timeline: Sendable {
    struct Span: Sendable {
        let attempt: Int, row: Int, stage: Stage, start: Double, end: Double
    }

    struct Record: Sendable {
        var rows: [Int] = []  // of the attempts
        var spans: [Span] = []
        var cancelled: [Int: Double] = [:]  // when the attempt was cancelled
        var scrolled: [ClosedRange<Double>] = []
    }

    private let started = ContinuousClock.now
    private let kept = Mutex(Record())

    var record: Record { kept.withLock { $0 } }

    func now() -> Double { (ContinuousClock.now - started) / .seconds(1) }

    /// A number for a new attempt.
    func attempt(_ row: Int) -> Int {
        kept.withLock { record in
            record.rows.append(row)
            return record.rows.count - 1
        }
    }

    func cancelled(_ attempt: Int) {
        let time = now()
        kept.withLock { $0.cancelled[attempt] = time }
    }

    func scrolled(from start: Double) {
        let end = now()
        kept.withLock { $0.scrolled.append(start...end) }
    }

    func measure<Value>(_ attempt: Int, _ stage: Stage, _ body: () throws -> Value) rethrows -> Value {
        let start = now()
        defer {
            let end = now()
            kept.withLock { $0.spans.append(Span(attempt: attempt, row: $0.rows[attempt], stage: stage, start: start, end: end)) }
        }
        return try body()
    }

    /// The spans in lines, as few as possible: a span is in the first line that is free when it starts.
    func lines() -> [[Span]] {
        var lines: [[Span]] = []
        for span in record.spans.sorted(by: { $0.start < $1.start }) {
            if let free = lines.firstIndex(where: { $0.last!.end <= span.start }) {
                lines[free].append(span)
            } else {
                lines.append([span])
            }
        }
        return lines
    }

    /// How many stages ran at the same time at most.
    var parallel: Int { lines().count }

    /// How many attempts ran this stage.
    func count(of stage: Stage) -> Int { record.spans.count { $0.stage == stage } }
}
