import Foundation

private let usage = """
    Usage: cache [--threads N] [--reads N]

    N (4) threads read pages (300000 each) from a cache that several threads share, and load those that
    it has not. The cache is guarded by a ConcurrentQueue, a SerialQueue and a pthread_rwlock in turn.
    Exit status: 0; 1 if a thread read a wrong page; 2 for a wrong command line.

    """

struct Options: Sendable {
    private(set) var threads = 4
    private(set) var reads = 300_000

    init(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let option = rest.popFirst() {
            if option == "--help" {
                write(usage)
                exit(0)
            }
            guard let value = rest.popFirst().flatMap(Int.init), value > 0 else { Self.refuse() }
            switch option {
            case "--threads" where value <= 256: threads = value
            case "--reads" where value <= 100_000_000: reads = value
            default: Self.refuse()
            }
        }
    }

    private static func refuse() -> Never {
        try? FileHandle.standardError.write(contentsOf: Data(usage.utf8))
        exit(2)
    }
}

func write(_ text: String) {
    do {
        try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
        die("the figures cannot be written", status: 1)
    }
}

func die(_ sentence: String, status: CInt) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("cache: \(sentence)\n".utf8))
    exit(status)
}
