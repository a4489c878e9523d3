import Foundation

private let usage = """
    Usage: ordered [--rounds N] [--numbers N]

    Shows how FIFOQueue and ActorQueue order tasks that suspend. Then sends numbers (1000) to an
    actor from a synchronous function, in so many rounds (100), by plain tasks and by each queue, and
    counts in how many rounds they arrive in order.
    Exit status: 0; 1 if a queue did not keep the order; 2 for a wrong command line.

    """

struct Options {
    private(set) var rounds = 100
    private(set) var numbers = 1_000

    init(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let option = rest.popFirst() {
            if option == "--help" {
                print(usage, terminator: "")
                exit(0)
            }
            guard let value = rest.popFirst().flatMap(Int.init), (1...1_000_000).contains(value) else { Self.refuse() }
            switch option {
            case "--rounds": rounds = value
            case "--numbers": numbers = value
            default: Self.refuse()
            }
        }
    }

    private static func refuse() -> Never {
        try? FileHandle.standardError.write(contentsOf: Data(usage.utf8))
        exit(2)
    }
}

/// Prints a line at once, into a pipe too: the rounds take a while.
func show(_ line: String) {
    print(line)
    fflush(nil)
}

func die(_ sentence: String, status: CInt) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("ordered: \(sentence)\n".utf8))
    exit(status)
}
