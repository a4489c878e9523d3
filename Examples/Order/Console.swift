import Foundation

private let usage = """
    Usage: order [--threads N | --puzzles]

    Submits 1 and 2 with async, 3 with sync, 4 with async, 5 with sync to one serial queue: first
    from one thread, then from N (2 to 8, else 2) at the same time, and draws what ran where and when.
    --puzzles: 1 submit(2 submit(3) 4) 5, by sync and async, on a serial and on a concurrent queue.
    Exit status: 0; 1 if the order was not what a queue promises; 2 for a wrong command line.

    """

/// `nil`: the puzzles.
func threadsFromCommandLine(_ arguments: ArraySlice<String>) -> Int? {
    if arguments.isEmpty { return 2 }
    if Array(arguments) == ["--puzzles"] { return nil }
    if Array(arguments) == ["--help"] {
        write(usage)
        exit(0)
    }
    let value = arguments.joined(separator: "=")  // `--threads N` and `--threads=N`
    if arguments.count <= 2, value.hasPrefix("--threads="), let number = Int(value.dropFirst("--threads=".count)),
        (2...8).contains(number)
    {
        return number
    }
    try? FileHandle.standardError.write(contentsOf: Data(usage.utf8))
    exit(2)
}

func write(_ text: String) {
    do {
        try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
        die("the timeline cannot be written")
    }
}

func complain(_ sentence: String) {
    try? FileHandle.standardError.write(contentsOf: Data("order: \(sentence)\n".utf8))
}

func die(_ sentence: String) -> Never {
    complain(sentence)
    exit(1)
}
