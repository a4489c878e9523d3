import Foundation

extension Stage {
    fileprivate var color: String {
        switch self {
        case .load: "#8a8f98"
        case .decode: "#3b78c3"
        case .filter: "#d98a29"
        case .write: "#4d9a52"
        }
    }
}

extension Timeline {
    /// An SVG picture: time from left to right, a line for each stage that can run at a time. Pointing at a box names it.
    ///
    /// A band says when the list scrolled. Stages of a row that was cancelled are pale; the last lines have a mark where rows were. What is too
    /// short to be seen is drawn wider: `load`, above what follows it.
    /// The whole is as wide as the window: it is 1,000 units wide, however long it took, and has no size of its own.
    func svg() -> String {
        let record = record, lines = lines()
        let length = max(lines.joined().map(\.end).max() ?? 1, record.scrolled.map(\.upperBound).max() ?? 0)
        let left = 90.0, right = 980.0
        let scale = (right - left) / length, bottom = 52 + lines.count * 40, marks = bottom + 6
        func number(_ value: Double) -> String { String(format: "%.2f", value) }
        func text(_ x: Double, _ y: Int, _ text: String, _ more: String = "") -> String {
            "<text x=\"\(number(x))\" y=\"\(y)\"\(more)>\(text)</text>\n"
        }
        func box(_ start: Double, _ end: Double, _ y: Int, _ height: Int, _ more: String, _ title: String) -> String {
            "<rect x=\"\(number(left + start * scale))\" y=\"\(y)\" width=\"\(number(max(2, (end - start) * scale)))\" "
                + "height=\"\(height)\" \(more)><title>\(title)</title></rect>\n"
        }

        var svg = ""
        for (place, stage) in Stage.allCases.enumerated() {
            svg += "<rect x=\"\(10 + place * 80)\" y=\"8\" width=\"12\" height=\"12\" fill=\"\(stage.color)\"/>\n"
            svg += text(Double(26 + place * 80), 18, stage.rawValue)
        }
        svg += "<rect x=\"330\" y=\"8\" width=\"12\" height=\"12\" fill=\"#f3d9e4\"/>\n" + text(346, 18, "the list scrolls: suspended")
        let pale = "fill-opacity=\"0.4\""
        svg += "<rect x=\"540\" y=\"8\" width=\"12\" height=\"12\" fill=\"\(Stage.decode.color)\" \(pale)/>\n"
        svg += text(556, 18, "pale: of a row that was cancelled")
        for band in record.scrolled {
            svg += box(band.lowerBound, band.upperBound, 30, marks - 30, "fill=\"#f3d9e4\"", "the list scrolls: the queue is suspended")
        }
        for (place, line) in lines.enumerated() {
            svg += text(8, 50 + place * 40, "stage \(place + 1)") + text(8, 66 + place * 40, "at a time")
            for span in line.filter({ $0.stage != .load }) + line.filter({ $0.stage == .load }) {
                let isCancelled = record.cancelled[span.attempt] != nil
                let title = "\(span.stage) \(span.row), \(number((span.end - span.start) * 1000)) ms\(isCancelled ? ", cancelled" : "")"
                let look = "fill=\"\(span.stage.color)\" \(isCancelled ? pale : "fill-opacity=\"1\"") stroke=\"white\" stroke-width=\"0.3\""
                svg += box(span.start, span.end, 36 + place * 40, 34, look, title)
                if span.stage == .decode, (span.end - span.start) * scale > textWidth("\(span.row)") + 6 {
                    svg += text(left + span.start * scale + 3, 58 + place * 40, "\(span.row)", " fill=\"white\"")
                }
            }
        }
        svg += text(8, marks + 18, "cancelled")
        // The list cancels at the end of a scroll: one mark for all rows of a stop. Below it their numbers, if one of three lines has room.
        var taken: [Double] = []
        for band in record.scrolled.sorted(by: { $0.upperBound < $1.upperBound }) {
            let names = record.cancelled.filter { band.contains($0.value) }.map { record.rows[$0.key] }.sorted()
            guard !names.isEmpty else { continue }
            let x = left + band.upperBound * scale
            svg += "<path d=\"M \(number(x - 4)) \(marks + 10) l 8 8 m 0 -8 l -8 8\" stroke=\"#c2330f\" stroke-width=\"2\">"
                + "<title>cancelled: rows \(names.map(String.init).joined(separator: ", "))</title></path>\n"
            let rows = names.count == 1 ? "row \(names[0])" : "\(names.count) rows: \(names[0]) to \(names.last!)"
            let start = min(x - 4, right - textWidth(rows)), place = taken.firstIndex { $0 <= start } ?? taken.count
            guard place < 3 else { continue }
            if place == taken.count { taken.append(0) }
            taken[place] = start + textWidth(rows) + 10
            svg += text(start, marks + 36 + place * 18, rows, " fill=\"#c2330f\"")
        }
        let height = marks + 36 + taken.count * 18 + 20
        let step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100].first { length / $0 < 12 } ?? 1000
        for tick in stride(from: 0, through: length, by: step) {
            svg += text(left + tick * scale, height - 10, String(format: "%.3g s", tick), " text-anchor=\"\(tick == 0 ? "start" : "middle")\"")
        }
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1000 \(height)\" preserveAspectRatio=\"xMidYMin meet\" "
            + "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + svg + "</svg>\n"
    }

    /// About as wide as the text.
    private func textWidth(_ text: String) -> Double { Double(text.count) * 7.5 }
}
