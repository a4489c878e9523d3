import Foundation

/// A word of the command line. `String` alone would mend a file's name that is not UTF-8, and so lose the file.
struct Argument: Sendable {
    let bytes: [CChar]  // ends in 0
    let text: String  // to be printed

    init(_ bytes: UnsafePointer<CChar>) {
        text = String(cString: bytes)
        self.bytes = Array(UnsafeBufferPointer(start: bytes, count: strlen(bytes) + 1))
    }
}

/// The command line.
struct Options {
    private static let defaultFolder = "/usr/share/common-licenses"
    private static let mostReaders = 256
    private static let help = """
        Usage: wordcount [--readers N] [--top N] [--] [FILE ...]

        Counts the words of the files with several threads that share one table through a serial
        queue, counts them again with one thread, and fails if the two differ. Without a FILE it
        counts the licence texts in \(defaultFolder); - is standard input.

          --readers N  threads that read (1 to 256; else one per processor, but at least 2)
          --top N      how many of the most frequent words to print (else 20)
          --help       print this

        A word is a run of ASCII letters, digits and bytes from 0x80 up; A-Z count as a-z; of a
        longer word the first 255 bytes count.

        Exit status: 0; 1 if a file could not be counted (the others are) or the results not be
        printed; 2 for a wrong command line; 3 if the two counts differ.

        """

    var readers = min(max(ProcessInfo.processInfo.activeProcessorCount, 2), mostReaders)
    var top = 20
    var paths: [Argument] = []

    /// Reads the command line. Ends the program after --help with status 0, after a mistake with a sentence and status
    /// 2. Without files, `paths` are the licence texts that every Debian system carries.
    init(_ arguments: [Argument]) {
        var rest = arguments[...]
        var onlyFiles = false
        while let word = rest.popFirst() {
            let argument = word.text
            if onlyFiles || !argument.hasPrefix("-") || argument == "-" {
                paths.append(word)
            } else if argument == "--" {
                onlyFiles = true
            } else if argument == "--help" {
                writeOutput(Array(Self.help.utf8))
                exit(0)
            } else if let value = Self.value(of: "--readers", argument, &rest) {
                readers = Self.number("--readers", value, 1...Self.mostReaders)
            } else if let value = Self.value(of: "--top", argument, &rest) {
                top = Self.number("--top", value, 0...1_000_000_000)
            } else {
                Self.wrong("there is no option \(argument)")
            }
        }
        if paths.isEmpty { paths = Self.defaultFiles() }
    }

    /// The value of `name VALUE` or `name=VALUE`; nil if the argument is something else.
    private static func value(of name: String, _ argument: String, _ rest: inout ArraySlice<Argument>) -> String? {
        if argument.hasPrefix(name + "=") { return String(argument.dropFirst(name.count + 1)) }
        guard argument == name else { return nil }
        guard let value = rest.popFirst() else { wrong("\(name) needs a number") }
        return value.text
    }

    private static func number(_ option: String, _ text: String, _ range: ClosedRange<Int>) -> Int {
        guard text.first?.isNumber == true, let value = Int(text), range.contains(value) else {
            wrong("\(option) needs a number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
        }
        return value
    }

    /// Symbolic links are left out: they repeat another file of the same folder (GPL is GPL-3).
    private static func defaultFiles() -> [Argument] {
        let files = FileManager.default
        guard let names = try? files.contentsOfDirectory(atPath: defaultFolder) else {
            wrong("no FILE given, and the default, \(defaultFolder), cannot be read")
        }
        let paths = names.sorted().map { "\(defaultFolder)/\($0)" }.filter {
            let type = try? files.attributesOfItem(atPath: $0)[.type] as? FileAttributeType
            return type == .typeRegular
        }
        if paths.isEmpty { wrong("no FILE given, and there is none in \(defaultFolder)") }
        return paths.map { Argument($0) }
    }

    private static func wrong(_ sentence: String) -> Never {
        complain(sentence + "\nTry wordcount --help.")
        exit(2)
    }
}
