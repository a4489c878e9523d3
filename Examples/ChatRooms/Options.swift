import Foundation

/// The command line.
struct Options {
    private(set) var rooms = 100_000
    private(set) var authors = 4
    private(set) var messages = 1_000_000
    private var path = "/usr/share/common-licenses/GPL-3"

    private static let help = """
        Usage: chatrooms [--rooms N] [--authors N] [--messages N] [FILE]

        Authors, each a thread, send the lines of FILE to rooms, over and over until there are enough messages. Every
        room has a serial queue of its own on one shared pool of threads.

          --rooms N     how many rooms; 100000 if not given
          --authors N   how many threads send, 1 to 64; 4 if not given
          --messages N  how many messages in all; 1000000 if not given
          FILE          a text; the system's copy of the GPL if not given
        """

    init(_ arguments: some Sequence<String>) {
        var words = arguments.makeIterator()
        var files: [String] = []
        while let word = words.next() {
            switch word {
            case "--help":
                print(Self.help)
                exit(0)
            case "--rooms": rooms = Self.number(words.next(), of: word, in: 1...10_000_000)
            case "--authors": authors = Self.number(words.next(), of: word, in: 1...64)
            case "--messages": messages = Self.number(words.next(), of: word, in: 1...1_000_000_000)
            case let unknown where unknown.hasPrefix("-"): Self.misuse("there is no option \(unknown)")
            default: files.append(word)
            }
        }
        if files.count > 1 { Self.misuse("one FILE at most") }
        path = files.first ?? path
    }

    private static func number(_ word: String?, of option: String, in range: ClosedRange<Int>) -> Int {
        guard let word else { misuse("\(option) wants a number") }
        guard let number = Int(word), range.contains(number) else {
            misuse("\(option) wants a number from \(range.lowerBound) to \(range.upperBound), not \(word)")
        }
        return number
    }

    private static func misuse(_ sentence: String) -> Never {
        fail(sentence + "; see chatrooms --help", status: 2)
    }

    /// The file's lines; bytes that are not UTF-8 are replaced.
    func lines() -> [String] {
        guard let data = FileManager.default.contents(atPath: path) else {
            fail("\(path): " + (FileManager.default.fileExists(atPath: path) ? "cannot be read" : "there is no such file"))
        }
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        if lines.isEmpty { fail("\(path): has no line of text") }
        return lines
    }
}

func fail(_ sentence: String, status: Int32 = 1) -> Never {
    FileHandle.standardError.write(Data("chatrooms: \(sentence)\n".utf8))
    exit(status)
}

func seconds(_ duration: Duration) -> String {
    String(format: "%.3f", duration / .seconds(1))
}
