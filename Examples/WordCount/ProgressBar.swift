import Foundation

/// A progress bar in the last line of a terminal.
struct ProgressBar {
    private static let widestBar = 50
    private static let narrowestBar = 5

    /// Standard error is a terminal that can go back to the start of a line.
    let isOn: Bool
    private var drawnAt: Double?

    init() {
        let terminal = ProcessInfo.processInfo.environment["TERM"] ?? ""
        isOn = !["", "dumb"].contains(terminal) && isatty(STDERR_FILENO) == 1
    }

    /// Draws `counting [####----] 45 %  52.1 MB  8.2 M words`, as much of it as the terminal is wide; ten times a
    /// second at most. Does nothing unless the bar is on.
    mutating func draw(_ doing: String, bytes: Int, of allBytes: Int, words: Int) {
        guard isOn else { return }
        let now = secondsNow()
        if let drawnAt, now - drawnAt < 0.1 { return }
        drawnAt = now

        let part = allBytes == 0 ? 0 : Double(bytes) / Double(allBytes)
        let figures = String(
            format: "%3.0f %%  %.1f MB  %.1f M words", part * 100, Double(bytes) / 1e6, Double(words) / 1e6)
        let room = columns()
        let width = min(room - doing.utf8.count - figures.utf8.count - 4, Self.widestBar)
        var line = doing
        if width >= Self.narrowestBar {
            let done = min(Int(part * Double(width) + 0.5), width)
            line += " [" + String(repeating: "#", count: done) + String(repeating: "-", count: width - done) + "]"
        }
        line += " " + figures
        writeError("\r" + line.prefix(room) + "\u{1B}[K")
    }

    /// Leaves the line empty.
    mutating func clear() {
        if drawnAt != nil { writeError("\r\u{1B}[K") }
        drawnAt = nil
    }

    /// Asked every time: the window may have been resized. One column stays free, because a terminal wraps after the
    /// last.
    private func columns() -> Int {
        var size = winsize()
        let isKnown = ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return (isKnown ? Int(size.ws_col) : 80) - 1
    }
}
