import Foundation

/// The threads that read pieces of the inputs and hand their counts to the tally.
struct Readers {
    /// Readers can be faster than the table takes batches. After this many a reader waits, with a `sync`, until the
    /// table has taken what was handed over. So at most this many batches a reader are in memory, each no larger than
    /// the counts of `Inputs.pieceSize` bytes, however large the inputs are.
    private static let batchesAhead = 4

    private let threads: [pthread_t]

    /// Starts `count` threads.
    init(count: Int, inputs: Inputs, tally: Tally) {
        threads = (1...count).map { number in
            startThread { error in
                die("reader \(number) of \(count) cannot be started: \(Problem(errno: error).reason)")
            } body: {
                Self.run(inputs: inputs, tally: tally)
            }
        }
    }

    /// Waits for their end. The tally may still have batches to merge.
    func join() {
        for thread in threads { pthread_join(thread, nil) }
    }

    private static func run(inputs: Inputs, tally: Tally) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 1 + Inputs.pieceSize + wordLimit, alignment: 1)
        defer { buffer.deallocate() }
        var ahead = 0
        while let work = inputs.next() {
            switch work {
            case .copy(let input):
                do {
                    try inputs.copy(input)
                } catch {
                    inputs.fail(input, error)
                }
            case .piece(of: let input, let range, let after):
                do {
                    tally.add(try count(input, range, after: after, buffer: buffer), bytes: range.count, of: input)
                } catch {
                    inputs.fail(input, error)
                    continue
                }
                ahead += 1
                if ahead == batchesAhead {
                    tally.catchUp()
                    ahead = 0
                }
            }
        }
        tally.finish()
    }

    private static func count(
        _ input: Input, _ range: Range<Int>, after: Int, buffer: UnsafeMutableRawBufferPointer
    ) throws(Problem) -> Words {
        let before = range.lowerBound > 0 ? 1 : 0
        let used = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(before + range.count + after)])
        try input.open().read(used, at: range.lowerBound - before)
        var words = Words()
        words.addPiece(UnsafeBufferPointer(used.assumingMemoryBound(to: UInt8.self)), before..<before + range.count)
        return words
    }
}

/// Foundation's `Thread` does not report that it could not be started, and cannot be joined.
private func startThread(onError: (Int32) -> Void, body: @escaping @Sendable () -> Void) -> pthread_t {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    let error = pthread_create(&thread, nil, { context in
        Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
        return nil
    }, box.toOpaque())
    if error != 0 {
        box.release()
        onError(error)
    }
    return thread
}
