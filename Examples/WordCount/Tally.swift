import Foundation
import SerialQueue

/// The table of all words, which belongs to one serial queue: the compiler refuses access from elsewhere.
///
/// There is no lock: readers submit a batch of counts with `async` and continue to read; the progress bar reads with `sync`. The
/// queue runs these one at a time, in order.
final class Tally: Sendable {
    struct Progress {
        var bytes = 0
        var words = 0
        var finishedReaders = 0
    }

    struct Table {
        fileprivate(set) var words = Words()
        fileprivate(set) var bytes = 0
        fileprivate(set) var bytesOf: [Int: Int] = [:]  // number of an input to its bytes that are counted
        fileprivate(set) var finishedReaders = 0
        fileprivate(set) var finishedAt = 0.0
    }

    private let table = QueueIsolated(Table(), on: SerialQueue(label: "wordcount.tally"))
    var queue: SerialQueue { table.queue }

    /// Hands the counts of one piece over, without waiting.
    func add(_ batch: Words, bytes: Int, of input: Input) {
        submit { table in
            table.words.merge(batch)
            table.bytes += bytes
            table.bytesOf[input.number, default: 0] += bytes
        }
    }

    /// A reader's last word: all its batches are in the table when this one is counted.
    func finish() {
        submit { table in
            table.finishedReaders += 1
            table.finishedAt = secondsNow()
        }
    }

    /// Waits until every batch handed over so far, by any reader, is in the table.
    func catchUp() {
        queue.sync {}
    }

    var progress: Progress {
        table.sync { Progress(bytes: $0.bytes, words: $0.words.total, finishedReaders: $0.finishedReaders) }
    }

    /// The table as it is.
    var result: Table {
        table.sync { $0 }
    }

    /// A refused task would be a lost count, so the program ends then.
    private func submit(_ task: sending @escaping (inout Table) -> Void) {
        if !table.async(task) { die("the table's queue refused a task") }
    }
}

/// Seconds on the monotonic clock.
func secondsNow() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}
