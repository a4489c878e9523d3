// Descriptions.swift: the descriptions of public types. One line each, with the label if there is one.

extension WorkQueue: CustomStringConvertible {
    /// The type, `SerialQueue` or `ConcurrentQueue`, and the label.
    public var description: String {
        "\(kind) \"\(label)\""
    }
}

extension WorkQueue.Timer: CustomStringConvertible {
    /// The type.
    public var description: String {
        "SerialQueue.Timer"
    }
}

extension WorkQueue.Statistics: CustomStringConvertible {
    /// The counts, each with its name.
    public var description: String {
        "submitted \(submitted), ran \(ran), discarded \(discarded), withdrawn \(withdrawn), rejected \(rejected), "
            + "depth \(depth), highest depth \(highestDepth)"
    }
}

extension WorkQueue.Stall: CustomStringConvertible {
    /// One line: the queue's label and number, what takes too long, the duration, and the cause if it is known.
    public var description: String {
        let thread = threadID.map { " on thread \($0)" } ?? ""
        let cause = isSuspended ? ", the queue is suspended" : isUnowned ? ", no thread runs its loop" : waitsFor.map { ", which waits for queue \"\($0)\"" } ?? ""
        let site = submittedFrom.map { ", submitted from \($0)," } ?? ""
        let what = kind == .running ? "a task\(site) has been running\(thread)" : "the oldest task has been waiting"
        let number = number != 0 ? " 0x" + String(number, radix: 16) : ""
        return "queue \"\(label)\"\(number): \(what) for \(duration)\(cause); \(depth) waiting"
    }
}

extension WorkerPool: CustomStringConvertible {
    /// The type: `WorkerPool`, `ManualPool` or `LoopPool`.
    public var description: String {
        "\(type(of: self))"
    }
}

extension Once: CustomStringConvertible {
    /// The type.
    public var description: String {
        "Once"
    }
}
