import Foundation
import Synchronization

enum Stage: String, CaseIterable, Sendable {
    case load, decode, filter, write

    var color: String {
        switch self {
        case .load: "#8a8f98"
        case .decode: "#3b78c3"
        case .filter: "#d98a29"
        case .write: "#4d9a52"
        }
    }
}

/// When which stage of which row ran, and a picture of it.
final class Timeline: Sendable {
    private struct Span {
        let row: Int, stage: Stage, start: Double, end: Double
    }

    private let started = ContinuousClock.now
    private let spans = Mutex<[Span]>([])

    private func now() -> Double { (ContinuousClock.now - started) / .seconds(1) }

    func measure<Value>(_ row: Int, _ stage: Stage, _ body: () throws -> Value) rethrows -> Value {
        let start = now()
        defer {
            let end = now()
            spans.withLock { $0.append(Span(row: row, stage: stage, start: start, end: end)) }
        }
        return try body()
    }

    /// The spans in lines, as few as possible: a span is in the first line that is free when it starts.
    private func lines() -> [[Span]] {
        var lines: [[Span]] = []
        for span in spans.withLock({ $0 }).sorted(by: { $0.start < $1.start }) {
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

    /// How often the stage ran.
    func count(of stage: Stage) -> Int { spans.withLock { $0.count { $0.stage == stage } } }

    /// How much of the time how many stages ran on average.
    var occupied: Double {
        let all = spans.withLock { $0 }
        guard let first = all.map(\.start).min(), let last = all.map(\.end).max(), last > first else { return 0 }
        return all.reduce(0) { $0 + $1.end - $1.start } / (last - first)
    }

    /// An SVG picture: time from left to right, a line for each stage that can run at a time. Pointing at a box names it.
    func svg() -> String {
        let lines = lines()
        let length = lines.joined().map(\.end).max() ?? 1
        let width = min(20_000, max(1_200, length * 400))  // pixels
        let scale = width / length
        func number(_ value: Double) -> String { String(format: "%.2f", value) }
        func text(_ x: Double, _ y: Int, _ text: String) -> String {
            "<text x=\"\(number(x))\" y=\"\(y)\">\(text)</text>\n"
        }

        let height = 60 + lines.count * 40
        var svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(width) + 20)" height="\(height)" \
            font-family="sans-serif" font-size="11">
            <rect width="100%" height="100%" fill="white"/>

            """
        for (place, stage) in Stage.allCases.enumerated() {
            svg += "<rect x=\"\(10 + place * 80)\" y=\"8\" width=\"12\" height=\"12\" fill=\"\(stage.color)\"/>\n"
            svg += text(Double(26 + place * 80), 18, stage.rawValue)
        }
        for (place, line) in lines.enumerated() {
            for span in line {
                let x = 10 + span.start * scale, boxWidth = max(0.3, (span.end - span.start) * scale)
                let title = "\(span.stage) \(span.row), \(number((span.end - span.start) * 1000)) ms"
                svg += """
                    <rect x="\(number(x))" y="\(30 + place * 40)" width="\(number(boxWidth))" height="34" \
                    fill="\(span.stage.color)" stroke="white" stroke-width="0.3"><title>\(title)</title></rect>

                    """
                if span.stage == .decode, boxWidth > 26 { svg += text(x + 2, 50 + place * 40, "\(span.row)") }
            }
        }
        let step = length > 20 ? 5.0 : length > 4 ? 1.0 : length / 4
        for tick in stride(from: 0, through: length, by: step) {
            svg += text(10 + tick * scale, height - 10, String(format: "%.3g s", tick))
        }
        return svg + "</svg>\n"
    }
}
