/// The same count once more, by one thread and without any queue.
///
/// It reads straight through, where the readers cut the files into pieces: a word lost or doubled at the border of a
/// piece, in a batch or in the table, shows here.
struct Check {
    private static let chunkSize = 64 * 1024

    private(set) var words = Words()

    /// Counts every input that has no problem, byte by byte and file after file. False, with a sentence on stderr, if
    /// one of them can no longer be read as it was. Main thread, after the readers have ended.
    mutating func count(_ inputs: Inputs, _ bar: inout ProgressBar) -> Bool {
        let all = inputs.bytes
        var before = 0
        var isComplete = true
        for input in inputs.all where input.problem == nil {
            do {
                try count(input) { offset, total in
                    bar.draw("checking", bytes: before + offset, of: all, words: total)
                }
            } catch {
                bar.clear()
                complain("\(input.path.text): cannot be read again for the check: \(error.reason)")
                isComplete = false
            }
            before += input.size
        }
        return isComplete
    }

    /// True if both tables hold the same counts; else a sentence on stderr names a word that differs.
    func equals(_ counted: Words) -> Bool {
        for word in counted.list {
            let count = words.count(of: word, from: counted)
            if count == word.count { continue }
            let name = String(decoding: printable(counted.bytes(of: word)), as: UTF8.self)
            complain("""
                the counts differ: "\(name)" was counted \(word.count) times over the queue and \(count) times \
                by one thread
                """)
            return false
        }
        if counted.list.count == words.list.count { return true }
        complain("""
            the counts differ: \(counted.list.count) different words over the queue and \(words.list.count) \
            by one thread
            """)
        return false
    }

    private mutating func count(_ input: Input, progress: (Int, Int) -> Void) throws(Problem) {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkSize, alignment: 1)
        let word = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: wordLimit)
        defer {
            chunk.deallocate()
            word.deallocate()
        }
        let file = try input.open()
        var length = 0  // of the word, which may continue in the next chunk
        var offset = 0
        while offset < input.size {
            let part = UnsafeMutableRawBufferPointer(rebasing: chunk[..<min(chunk.count, input.size - offset)])
            try file.read(part, at: offset)
            for byte in part {
                let folded = wordByte(byte)
                if folded == 0 {
                    add(word, &length)
                } else if length < wordLimit {
                    word[length] = folded
                    length += 1
                }
            }
            offset += part.count
            progress(offset, words.total)
        }
        add(word, &length)
    }

    private mutating func add(_ word: UnsafeMutableBufferPointer<UInt8>, _ length: inout Int) {
        if length > 0 { words.add(UnsafeBufferPointer(rebasing: word[..<length])) }
        length = 0
    }
}
