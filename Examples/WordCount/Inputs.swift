import Foundation
import SerialQueue

/// A file to count, as far as it is known: a copy of what the list has.
struct Input {
    enum Kind {
        case file(size: Int)
        /// Can be read only once (a pipe), or has no known size (/proc): copied before it is counted.
        case stream
    }

    let number: Int  // in the order of the arguments
    let path: Argument  // "-" is standard input
    let kind: Kind
    fileprivate(set) var size = 0
    fileprivate(set) var copy: File?
    fileprivate(set) var problem: String?  // why it cannot be counted
    fileprivate var handedOut = 0  // bytes of it in pieces so far
    fileprivate var isReported = false

    fileprivate init(number: Int, path: Argument) {
        self.number = number
        self.path = path
        do {
            kind = try File.kind(of: path)
            if case .file(let size) = kind { self.size = size }
        } catch {
            kind = .stream
            problem = error.reason
        }
    }

    /// Opens the input, or its copy.
    func open() throws(Problem) -> File {
        if let copy { return copy }
        return try path.text == "-" ? File(duplicate: 0) : File(path: path)
    }
}

/// What one reader is to do next.
enum Work {
    /// Count `range`; as many bytes as `after` says behind it may belong to its last word.
    case piece(of: Input, range: Range<Int>, after: Int)
    case copy(Input)
}

/// The list of work that the readers share.
///
/// It belongs to a serial queue that is only ever used with `sync`: it is used like a mutex, and never has
/// a thread. A file is handed out in pieces, so that several readers work on one large file.
final class Inputs: Sendable {
    static let pieceSize = 256 * 1024

    private struct List {
        var all: [Input]
        var ready: [Int] = []  // numbers of those that have pieces left to hand out; the last is next
        var streams: [Int] = []  // not copied yet; the last is next
        var knownBytes = 0
    }

    private let list: QueueIsolated<List>

    init(paths: [Argument]) {
        var list = List(all: paths.enumerated().map { Input(number: $0, path: $1) })
        for input in list.all.reversed() where input.problem == nil {
            if case .stream = input.kind { list.streams.append(input.number) } else { list.ready.append(input.number) }
        }
        list.knownBytes = list.ready.reduce(0) { $0 + list.all[$1].size }
        self.list = QueueIsolated(list, on: SerialQueue(label: "wordcount.inputs"))
    }

    /// In the order of the arguments.
    var all: [Input] { list.sync { $0.all } }

    /// The sum of the sizes, as far as they are known.
    var bytes: Int { list.sync { $0.knownBytes } }

    /// The next piece of work; nil if there is none left, though a stream that is being copied may yet bring some:
    /// the reader that copies it then counts it.
    func next() -> Work? {
        list.sync { list in
            while let number = list.ready.last {
                let input = list.all[number]
                if input.problem == nil && input.handedOut < input.size {
                    let end = min(input.handedOut + Self.pieceSize, input.size)
                    list.all[number].handedOut = end
                    return .piece(of: input, range: input.handedOut..<end, after: min(wordLimit, input.size - end))
                }
                list.ready.removeLast()
            }
            // Streams come last: a pipe without a writer must not keep a reader from the files.
            return list.streams.popLast().map { .copy(list.all[$0]) }
        }
    }

    /// Copies a stream to a nameless temporary file, for the single-threaded check has to read it again; afterwards
    /// its pieces are handed out.
    func copy(_ input: Input) throws(Problem) {
        let source = try input.open()
        let copy: File
        do {
            copy = try File.temporary()
        } catch {
            throw Problem("its temporary copy cannot be made: " + error.reason)
        }
        let size = try source.copy(to: copy)
        guard size > 0 else { throw Problem("is empty") }
        list.sync {
            $0.all[input.number].copy = copy
            $0.all[input.number].size = size
            $0.knownBytes += size
            $0.ready.append(input.number)
        }
    }

    /// Says why an input cannot be counted; the first reason stays, and no more pieces of it are handed out.
    func fail(_ input: Input, _ problem: Problem) {
        list.sync { $0.all[input.number].problem = $0.all[input.number].problem ?? problem.reason }
    }

    /// Prints the problems not printed yet, one line each that names the file; returns how many inputs have one.
    func report() -> Int {
        let failed = all.filter { $0.problem != nil }
        for input in failed where !input.isReported {
            complain("\(input.path.text): \(input.problem!)")
        }
        list.sync { list in
            for input in failed { list.all[input.number].isReported = true }
        }
        return failed.count
    }
}
