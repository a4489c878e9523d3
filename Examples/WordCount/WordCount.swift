import Foundation

/// The program from its options to its exit status.
struct WordCount {
    private static let incomplete: Int32 = 1
    private static let different: Int32 = 3

    private let options: Options
    private let inputs: Inputs
    private let tally = Tally()
    private var bar = ProgressBar()

    init(_ options: Options) {
        self.options = options
        inputs = Inputs(paths: options.paths)
    }

    mutating func run() -> Int32 {
        _ = inputs.report()
        let began = secondsNow()
        countWithQueue()
        let table = tally.result, words = table.words, seconds = table.finishedAt - began
        let problems = inputs.report()
        let files = inputs.all.count
        if problems == files {
            complain("none of the files could be counted")
            return Self.incomplete
        }

        var output: [UInt8] = []
        for word in words.mostFrequent(options.top) {
            output += String(format: "%9ld  ", word.count).utf8
            output += printable(words.bytes(of: word)) + [UInt8(ascii: "\n")]
        }
        if !output.isEmpty { output.append(UInt8(ascii: "\n")) }
        output += """
            words     \(words.total), \(words.list.count) different, in \(files - problems) of \(files) files
            \(options.readers) \(options.readers == 1 ? "reader  " : "readers ")\(speed(words, table.bytes, seconds))
            \(statistics())

            """.utf8
        writeOutput(output)

        let status = check(table, seconds)
        return max(status, problems > 0 ? Self.incomplete : 0)
    }

    private mutating func countWithQueue() {
        let readers = Readers(count: options.readers, inputs: inputs, tally: tally)
        while bar.isOn {
            let now = tally.progress
            if now.finishedReaders == options.readers { break }
            bar.draw("counting", bytes: now.bytes, of: inputs.bytes, words: now.words)
            usleep(20_000)
        }
        readers.join()
        bar.clear()
    }

    /// Counts again with one thread; returns the exit status.
    private mutating func check(_ table: Tally.Table, _ readersSeconds: Double) -> Int32 {
        // An input that failed half-way left counts in the table that cannot be separated from the others.
        if let half = inputs.all.first(where: { $0.problem != nil && table.bytesOf[$0.number] != nil }) {
            writeOutput(Array("check     left out: \(half.path.text) was counted only in part\n".utf8))
            return Self.incomplete
        }
        let began = secondsNow()
        var check = Check()
        let isComplete = check.count(inputs, &bar)
        bar.clear()
        let seconds = secondsNow() - began
        guard isComplete else { return Self.incomplete }
        guard check.equals(table.words) else { return Self.different }
        writeOutput(Array("""
            1 thread  \(speed(check.words, table.bytes, seconds)): \
            \(String(format: "%.2f", seconds / readersSeconds)) times as long
            check     the single-threaded count is the same

            """.utf8))
        return 0
    }

    private func speed(_ words: Words, _ bytes: Int, _ seconds: Double) -> String {
        String(
            format: "%.3f s, %.2f million words/s, %.1f MB/s", seconds, Double(words.total) / seconds / 1e6,
            Double(bytes) / seconds / 1e6)
    }

    private func statistics() -> String {
        let s = tally.queue.statistics
        return """
            queue     "\(tally.queue.label)": \(s.submitted) tasks submitted, \(s.ran) ran, \
            at most \(s.highestDepth) waiting
            """
    }
}
