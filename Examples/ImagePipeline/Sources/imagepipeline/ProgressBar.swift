import Foundation
import SerialQueueOperations

/// A bar in the last line of a terminal: `operations [####----] 45 %`. Does nothing if standard error is something else.
struct ProgressBar: Sendable {
    private let isOn = isatty(STDERR_FILENO) == 1 && !["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM"] ?? "")

    /// Draws the progress of the queue until its handle is gone and all operations have ended.
    func follow(_ updates: WorkProgressUpdates, _ doing: String) async {
        guard isOn else { return }
        var drawn = ContinuousClock.now - .seconds(1)
        for await progress in updates where ContinuousClock.now - drawn > .milliseconds(100) {
            drawn = ContinuousClock.now
            let done = Int(progress.fraction * 40)
            let bar = String(repeating: "#", count: done) + String(repeating: "-", count: 40 - done)
            write("\r\(doing) [\(bar)] \(progress.finished) of \(progress.total) operations\u{1B}[K")
        }
        write("\r\u{1B}[K")
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
