import Glibc

/// One line of output, unbuffered: what is printed before a trap must be seen.
func say(_ line: String) {
    if !write(line, to: 1) { die("the output cannot be written: \(reason(errno))") }
}

func complain(_ sentence: String) {
    _ = write("hangs: " + sentence, to: 2)
}

func die(_ sentence: String) -> Never {
    complain(sentence)
    exit(1)
}

func reason(_ error: CInt) -> String {
    String(cString: strerror(error))
}

private func write(_ line: String, to file: CInt) -> Bool {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        if count < 0 && errno != EINTR { return false }
        rest = rest.dropFirst(max(count, 0))
    }
    return true
}
