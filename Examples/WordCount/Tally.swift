import Foundation
import SerialQueue

/// The table of all words, owned by one serial queue.
///
/// There is no lock: readers submit a batch of counts with `async` and continue to read; the progress bar reads with `sync`. The
/// queue runs these one at a time, in order.
///
/// `@unchecked Sendable`: everything but the queue, which is `Sendable`, is touched by its tasks only.
final class Tally: @unchecked Sendable {
    struct Progress {
        var bytes = 0
        var words = 0
        var finishedReaders = 0
    }

    let queue = SerialQueue(label: "wordcount.tally")
    private var words = Words()
    private var bytes = 0
    private var finishedReaders = 0
    private var finishedAt = 0.0

    /// Hands the counts of one piece over, without waiting.
    func add(_ batch: Words, bytes: Int, of input: Input) {
        submit {
            self.words.merge(batch)
            self.bytes += bytes
            input.counted += bytes
        }
    }

    /// A reader's last word: all its batches are in the table when this one is counted.
    func finish() {
        submit {
            self.finishedReaders += 1
            self.finishedAt = secondsNow()
        }
    }

    /// Waits until every batch handed over so far, by any reader, is in the table.
    func catchUp() {
        queue.sync {}
    }

    var progress: Progress {
        queue.sync { Progress(bytes: bytes, words: words.total, finishedReaders: finishedReaders) }
    }

    /// The table, and when the last reader's batches were in it.
    var result: (words: Words, bytes: Int, finishedAt: Double) {
        queue.sync { (words, bytes, finishedAt) }
    }

    /// A refused task would be a lost count, so the program ends then.
    private func submit(_ task: @escaping @Sendable () -> Void) {
        if !queue.async(task) { die("the table's queue refused a task") }
    }
}

/// Seconds on the monotonic clock.
func secondsNow() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}
