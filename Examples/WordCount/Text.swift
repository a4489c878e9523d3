import Foundation

/// Bytes of unknown origin, made fit for a terminal: UTF-8 as it is, but bytes that are none, and the control
/// characters U+0080 to U+009F that could reprogram a terminal, as \xNN.
func printable(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes
    while let first = rest.first {
        let length = scalarLength(rest)
        if length > 0 {
            result += rest.prefix(length)
        } else {
            result += String(format: "\\x%02x", first).utf8
        }
        rest = rest.dropFirst(max(length, 1))
    }
    return result
}

/// The length of the valid and harmless UTF-8 sequence that begins here; 0 if there is none.
private func scalarLength(_ bytes: ArraySlice<UInt8>) -> Int {
    var parser = Unicode.UTF8.ForwardParser()
    var iterator = bytes.makeIterator()
    guard case .valid(let encoded) = parser.parseScalar(from: &iterator) else { return 0 }
    let value = Unicode.UTF8.decode(encoded).value
    return (0x80...0x9f).contains(value) ? 0 : encoded.count
}

func writeError(_ text: String) {
    var text = text
    text.withUTF8 { _ = writeAll(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
}

/// One line on standard error, in one write, so that lines of several threads do not mix.
func complain(_ sentence: String) {
    writeError("wordcount: \(sentence)\n")
}

/// Ends the process with one sentence and status 1. `_exit`, not `exit`: other threads are still at work on what it
/// would take down. Any thread.
func die(_ sentence: String) -> Never {
    complain(sentence)
    _exit(1)
}

/// Standard output, complete or not at all: `print` would hide that a disk is full.
func writeOutput(_ bytes: [UInt8]) {
    guard bytes.withUnsafeBytes({ writeAll($0, to: STDOUT_FILENO) }) else {
        die("the results cannot be written to standard output: " + Problem(errno: errno).reason)
    }
}
