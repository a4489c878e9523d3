/// The byte as part of a word, 0 if it separates words.
///
/// A word is a longest run of ASCII letters, ASCII digits and bytes from 0x80 up (so UTF-8 text stays whole), with
/// ASCII letters in lower case. The same as in C, so both print the same counts.
@inline(__always)
func wordByte(_ byte: UInt8) -> UInt8 {
    let lower = byte | 0x20
    if lower &- UInt8(ascii: "a") < 26 { return lower }
    return byte >= 0x80 || byte &- UInt8(ascii: "0") < 10 ? byte : 0
}

/// Only the first bytes of a word count: a file without any separator is one word, not a word as large as the file.
let wordLimit = 255

/// A table that counts how often each word occurred.
///
/// A dictionary of strings would turn bytes that are no UTF-8 into the same replacement character, and so count
/// different words as one; it would also allocate for each of them.
struct Words: Sendable {
    struct Word {
        let offset: Int  // of its bytes in `text`
        let length: Int
        let hash: UInt32
        var count: Int
    }

    /// Every different word, in the order of first sight.
    private(set) var list: [Word] = []
    /// The sum of the counts.
    private(set) var total = 0
    private var slots: [UInt32] = []  // hash table of indexes into `list`, plus one; 0 is free; linear probing
    private var text: [UInt8] = []  // the bytes of all words, one after the other

    func bytes(of word: Word) -> ArraySlice<UInt8> {
        text[word.offset..<word.offset + word.length]
    }

    /// Counts the bytes (already folded by `wordByte`, at most `wordLimit` of them) as `count` occurrences.
    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, count: Int = 1) {
        var hash: UInt32 = 2_166_136_261  // FNV-1a
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        // Its low bits alone, which pick the slot, would cluster.
        add(bytes, hash: hash ^ hash >> 15, count: count)
    }

    mutating func merge(_ other: borrowing Words) {
        other.text.withUnsafeBufferPointer { text in
            for word in other.list {
                let bytes = UnsafeBufferPointer(rebasing: text[word.offset..<word.offset + word.length])
                add(bytes, hash: word.hash, count: word.count)
            }
        }
    }

    /// How often a word of another table occurs in this one.
    func count(of word: Word, from other: borrowing Words) -> Int {
        guard !slots.isEmpty else { return 0 }
        return other.text.withUnsafeBufferPointer { text in
            let bytes = UnsafeBufferPointer(rebasing: text[word.offset..<word.offset + word.length])
            let index = slots[slot(of: bytes, hash: word.hash)]
            return index == 0 ? 0 : list[Int(index) - 1].count
        }
    }

    /// The words by frequency, ties by their bytes.
    func mostFrequent(_ limit: Int) -> [Word] {
        let sorted = text.withUnsafeBufferPointer { text in
            list.sorted { a, b in
                if a.count != b.count { return a.count > b.count }
                return text[a.offset..<a.offset + a.length]
                    .lexicographicallyPrecedes(text[b.offset..<b.offset + b.length])
            }
        }
        return Array(sorted.prefix(limit))
    }

    private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, hash: UInt32, count: Int) {
        if list.count == slots.count / 2 { doubleSlots() }
        total += count
        let slot = slot(of: bytes, hash: hash)
        if slots[slot] != 0 {
            list[Int(slots[slot]) - 1].count += count
            return
        }
        list.append(Word(offset: text.count, length: bytes.count, hash: hash, count: count))
        text.append(contentsOf: bytes)
        slots[slot] = UInt32(list.count)
    }

    /// The slot that holds the word, or the free one where it belongs.
    private func slot(of bytes: UnsafeBufferPointer<UInt8>, hash: UInt32) -> Int {
        let mask = slots.count - 1
        var slot = Int(hash) & mask
        while slots[slot] != 0 {
            let word = list[Int(slots[slot]) - 1]
            if word.hash == hash && word.length == bytes.count && isEqual(bytes, at: word.offset) { return slot }
            slot = (slot + 1) & mask
        }
        return slot
    }

    @inline(__always)
    private func isEqual(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
        text.withUnsafeBufferPointer { text in
            for index in 0..<bytes.count where bytes[index] != text[offset + index] { return false }
            return true
        }
    }

    /// A power of two of slots, at least twice as many as words.
    private mutating func doubleSlots() {
        let count = slots.isEmpty ? 256 : slots.count * 2
        precondition(count <= UInt32.max, "more than 2^31 different words")
        slots = Array(repeating: 0, count: count)
        list.reserveCapacity(count / 2)
        for (index, word) in list.enumerated() {
            var slot = Int(word.hash) & (count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (count - 1) }
            slots[slot] = UInt32(index + 1)
        }
    }
}

extension Words {
    /// Counts the words that begin in `bytes[range]`.
    ///
    /// The buffer holds one byte before the range, unless the text begins there, so that a word already running is
    /// recognised as another piece's; and up to `wordLimit` bytes after it, so that a word running on is whole.
    mutating func addPiece(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        var at = range.lowerBound
        if at > 0 && wordByte(bytes[at - 1]) != 0 {
            while at < range.upperBound && wordByte(bytes[at]) != 0 { at += 1 }
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: wordLimit) { word in
            while true {
                while at < range.upperBound && wordByte(bytes[at]) == 0 { at += 1 }
                if at >= range.upperBound { return }
                var length = 0
                while at < bytes.count {
                    let byte = wordByte(bytes[at])
                    if byte == 0 { break }
                    if length < wordLimit {
                        word[length] = byte
                        length += 1
                    }
                    at += 1
                }
                add(UnsafeBufferPointer(rebasing: word[..<length]))
            }
        }
    }
}
