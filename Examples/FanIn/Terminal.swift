import Dispatch
import Foundation

/// How many pieces the user asks for; ends the program where that is not clear.
func pieceCount(_ arguments: ArraySlice<String>) -> Int {
    let usage = "Usage: fanin [PIECES]\n\nCounts the primes below PIECES * \(Piece.size); 1 to \(Piece.most), else 64.\n"
    if arguments.isEmpty { return 64 }
    if arguments == ["--help"] {
        print(usage, terminator: "")
        exit(0)
    }
    guard arguments.count == 1, let count = Int(arguments.first!), (1...Piece.most).contains(count) else {
        say(usage)
        exit(2)
    }
    return count
}

func complain(_ sentence: String) {
    say("fanin: \(sentence)\n")
}

private func say(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
}

/// A bar in the last line of standard error, if that is a terminal.
func drawBar(_ done: Int, of count: Int) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let width = 50, full = width * done / count
    let bar = String(repeating: "=", count: full) + String(repeating: " ", count: width - full)
    say("\r[\(bar)] \(done) of \(count)\(done == count ? "\n" : "")")
}

/// Ctrl-C does not end the program, but calls `body`, until the result is cancelled or released.
func onInterrupt(_ body: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
    signal(SIGINT, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGINT)
    source.setEventHandler(handler: body)
    source.activate()
    return source
}
