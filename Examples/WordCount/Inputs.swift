import Foundation
import SerialQueue

/// A file to count.
///
/// `@unchecked Sendable`: what changes is only accessed on the queue that its comment names, until the readers have ended.
final class Input: @unchecked Sendable {
    enum Kind {
        case file(size: Int)
        /// Can be read only once (a pipe), or has no known size (/proc): copied before it is counted.
        case stream
    }

    let path: Argument  // "-" is standard input
    let kind: Kind
    fileprivate(set) var size = 0  // inputs
    fileprivate(set) var copy: File?  // inputs
    fileprivate(set) var problem: String?  // inputs: why it cannot be counted
    fileprivate var handedOut = 0  // inputs: bytes of it in pieces so far
    fileprivate var isReported = false  // main thread
    var counted = 0  // tally: bytes of it in the table

    fileprivate init(path: Argument) {
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
///
/// `@unchecked Sendable`: `all` never changes, everything else is touched on `queue` only.
final class Inputs: @unchecked Sendable {
    static let pieceSize = 256 * 1024

    let all: [Input]  // in the order of the arguments
    private let queue = SerialQueue(label: "wordcount.inputs")
    private var ready: [Input]  // have pieces left to hand out; the last is next
    private var streams: [Input]  // not copied yet; the last is next
    private var knownBytes: Int

    init(paths: [Argument]) {
        all = paths.map { Input(path: $0) }
        ready = []
        streams = []
        for input in all.reversed() where input.problem == nil {
            if case .stream = input.kind { streams.append(input) } else { ready.append(input) }
        }
        knownBytes = ready.reduce(0) { $0 + $1.size }
    }

    /// The sum of the sizes, as far as they are known.
    var bytes: Int { queue.sync { knownBytes } }

    /// The next piece of work; nil if there is none left, though a stream that is being copied may yet bring some:
    /// the reader that copies it then counts it.
    func next() -> Work? {
        queue.sync {
            while let input = ready.last, input.problem != nil || input.handedOut == input.size { ready.removeLast() }
            if let input = ready.last {
                let end = min(input.handedOut + Self.pieceSize, input.size)
                defer { input.handedOut = end }
                return .piece(of: input, range: input.handedOut..<end, after: min(wordLimit, input.size - end))
            }
            // Streams come last: a pipe without a writer must not keep a reader from the files.
            return streams.popLast().map { .copy($0) }
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
        queue.sync {
            input.copy = copy
            input.size = size
            knownBytes += size
            ready.append(input)
        }
    }

    /// Says why an input cannot be counted; the first reason stays, and no more pieces of it are handed out.
    func fail(_ input: Input, _ problem: Problem) {
        queue.sync { input.problem = input.problem ?? problem.reason }
    }

    /// Prints the problems not printed yet, one line each that names the file; returns how many inputs have one.
    /// Main thread, while no reader runs.
    func report() -> Int {
        let failed = all.filter { $0.problem != nil }
        for input in failed where !input.isReported {
            complain("\(input.path.text): \(input.problem!)")
            input.isReported = true
        }
        return failed.count
    }
}
