import CSerialQueueSwiftCall

extension SerialQueue {
    /// Begins to record what all queues of this process do: submissions, closures, waits.
    ///
    /// The file is a Perfetto trace: [ui.perfetto.dev](https://ui.perfetto.dev) opens it, `sq-trace timeline FILE` makes a page of it, and
    /// `sq-trace stats FILE` a table. A process that is started with `SQ_TRACE` in its environment records from its beginning.
    ///
    /// A thread never waits for the file: what it records while its buffer is full is dropped and counted. A queue that was made
    /// before is traced from its next `async` on, or the next `sync` that does not find it free. The child of a `fork` is not traced, but may begin a
    /// trace of its own. A process that finds the path in use by another one, for example by the parent whose `SQ_TRACE` it has inherited, records to
    /// that path with `.pid` and its number after it.
    ///
    /// - Parameter options: The path of the file, where `%p` stands for the process ID; then, each after a comma,
    ///   `last=10s`: a flight recorder, which keeps the newest events in memory and writes a file of them at ``writeTrace()`` and at the
    ///   end, before a trap of this library, and when a deadlock or stall is reported, ten times at most; `signal=USR2`: also when this
    ///   signal comes;
    ///   `buffer=1M`: the memory for each thread.
    /// - Throws: The errno code as a ``TraceError``: `EALREADY`, if a trace is in progress; `EINVAL`, if the options are not valid; or why the
    ///   file could not be created.
    public static func startTrace(_ options: String) throws(TraceError) {
        let status = sq_trace_start(options)
        if status != 0 { throw TraceError(code: status) }
    }

    /// Ends the recording, and writes what is not in the file yet.
    ///
    /// - Throws: The errno code as a ``TraceError``: `EINVAL`, if nothing is being recorded; or why the file could not be written.
    public static func stopTrace() throws(TraceError) {
        let status = sq_trace_stop()
        if status != 0 { throw TraceError(code: status) }
    }

    /// Makes a flight recorder write a file of its events.
    ///
    /// The first file has the path that was given, later ones have .1, .2, ... after it, without a limit. Returns immediately. Without a
    /// flight recorder it does nothing.
    public static func writeTrace() {
        sq_trace_write()
    }

    /// Why a trace did not begin, or is not complete.
    public struct TraceError: Error, Hashable, CustomStringConvertible {
        /// The errno code.
        public let code: CInt

        /// What the code means, in one line.
        public var description: String { "trace: \(String(cString: sq_error_text(code)))" }
    }
}
