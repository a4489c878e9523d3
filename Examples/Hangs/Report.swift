import Glibc

/// How a child ended, as it is printed.
///
///     SerialQueue     says  SerialQueue/Traps.swift:12: Fatal error: …
///                     ends  by signal 4, Illegal instruction
struct Report {
    private static let columns = 80

    let text: String

    init(_ child: Child, of contender: Contender) {
        var said = child.said.isEmpty ? ["nothing"] : child.said
        // What Swift adds to a fatal error; addresses, without the names that a debugger would put to them.
        if let trace = said.firstIndex(of: "Current stack trace:") { said[trace...] = ["Current stack trace: …"] }
        let margin = String(repeating: " ", count: 20)
        var rows = said.flatMap { Self.wrapped($0, Self.columns - 26) }.map { margin + "      " + $0 }
        rows[0] = margin + "says" + rows[0].dropFirst(24)
        rows[0] = "    " + padded(contender.rawValue, 16) + rows[0].dropFirst(20)
        rows.append(margin + "ends  " + Self.sentence(child))
        text = rows.joined(separator: "\n")
    }

    private static func sentence(_ child: Child) -> String {
        switch child.ending {
        case .exited(let status): "by itself, with status \(status)"
        case .signalled(let signal): "by signal \(signal), \(String(cString: strsignal(signal)))"
        case .timedOut: "not at all: killed after \(child.seconds) seconds"
        }
    }

    private static func wrapped(_ line: String, _ width: Int) -> [String] {
        var rows = [""]
        for word in line.split(separator: " ") {
            if !rows[rows.count - 1].isEmpty, rows[rows.count - 1].count + word.count >= width { rows.append("") }
            rows[rows.count - 1] += (rows[rows.count - 1].isEmpty ? "" : " ") + word
        }
        return rows
    }
}

func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0))
}
