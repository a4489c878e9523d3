import CSerialQueue

extension WorkQueue {
    /// Writes what all queues of the process do right now: what each thread waits for, what runs, what waits.
    ///
    /// Use it to find out why a program hangs. With `SQ_DUMP=USR1` in the environment, the signal `SIGUSR1` writes a dump to standard
    /// error, also when all threads are stuck. See <doc:FindingAHang>.
    ///
    /// Any thread may call this, also inside a closure on a queue. If a thread is stuck with a lock of this library, the dump is
    /// written without it after about a second, and says what it left out. Threads that are not stuck continue meanwhile, so the dump
    /// is not one instant. Queues with the same label and state are folded into one line. A queue is named by its label and a
    /// number, such as `0x55d0c8a012a0`, which ``Stall/number`` and reports of deadlocks have, too.
    ///
    /// - Parameters:
    ///   - fileDescriptor: An open file descriptor; standard error if you do not name one.
    ///   - json: Whether to write one JSON object, for programs, instead of text. `Documentation/dump.schema.json` describes it, without
    ///     folding. With `SQ_DUMP=USR1,json` the signal writes it.
    /// - Returns: `false` if not all of it could be written, or there was no memory.
    @discardableResult
    public static func dump(to fileDescriptor: CInt = 2, json: Bool = false) -> Bool {
        (json ? sq_dump_json(fileDescriptor) : sq_dump(fileDescriptor)) == 0
    }
}
