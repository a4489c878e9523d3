import Foundation
import SerialQueue
import Testing

/// There is one trace per process, and it also has what other tests do at the same time: labels here are of no other queue.
@Suite(.serialized) struct TraceTests {
    /// The file, whose texts are plain.
    private static func traced(_ body: () async throws -> Void) async throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("trace-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try SerialQueue.startTrace(path)
        try await body()
        try SerialQueue.stopTrace()
        return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    /// To see it fail: leave out the call of noteSite in `async`.
    @Test func a_submission_is_recorded_with_its_file_and_line() async throws {
        let queue = ConcurrentQueue(label: "com.example.traced-here", on: .shared)
        let group = WorkGroup()
        let line = UInt(#line)
        let text = try await Self.traced {
            queue.async {}
            queue.asyncBarrier {}
            try queue.async(waitingUpTo: .seconds(100)) {}
            queue.async(in: group) {}
            queue.async({}, file: "elsewhere.swift", line: 77)
            queue.syncBarrier {}
        }
        #expect(text.contains("com.example.traced-here"))
        for k in 2...5 { #expect(text.contains("SerialQueueTests/TraceTests.swift:\(line + UInt(k))"), "line \(k)") }
        #expect(text.contains("elsewhere.swift:77"))
    }

    /// To see it fail: leave out the call of noteSite in `submit`, in AwaitedCall, or in an `async` of items.
    @Test func awaited_calls_and_items_are_recorded_with_their_file_and_line() async throws {
        let queue = ConcurrentQueue(label: "com.example.awaited-here", on: .shared)
        let line = UInt(#line)
        let text = try await Self.traced {
            try await queue.run {}
            try await queue.submit {}
            try await queue.runBarrier {}
            queue.async(WorkItem {})
            queue.async(in: WorkGroup(), WorkItem {})
            try queue.sync {}
        }
        for k in 2...6 { #expect(text.contains("SerialQueueTests/TraceTests.swift:\(line + UInt(k))"), "line \(k)") }
    }

    /// To see it fail: in `show_items` (item.c), give the wrapper no label.
    @Test func an_item_is_recorded_with_its_label() async throws {
        let queue = SerialQueue(label: "com.example.labelled-here")
        let text = try await Self.traced {
            queue.async(WorkItem(label: "com.example.row") {})
            queue.async(WorkItem(label: "com.example.row-with-itself") { _ in })
            await queue.drain()
        }
        #expect(text.contains("com.example.row-with-itself"))
        #expect(text.components(separatedBy: "com.example.row").count == 3)
    }

    /// To see it fail: leave out the call of noteSite in `asyncAfter` or `makeTimer`.
    @Test func delayed_closures_and_timers_are_recorded_with_their_file_and_line() async throws {
        let pool = ManualPool()
        let queue = SerialQueue(label: "com.example.late-here", on: pool)
        let line = UInt(#line)
        let text = try await Self.traced {
            let accepted = queue.asyncAfter(.seconds(1)) {}
            #expect(accepted)
            let timer = queue.makeTimer(every: .seconds(1)) {}
            pool.advance(by: .seconds(1))
            timer.cancel()
        }
        for k in [UInt(2), 4] { #expect(text.contains("SerialQueueTests/TraceTests.swift:\(line + k)"), "line \(k)") }
    }

    /// To see it fail: in the core, leave out the call of sq__dump_add_site in add_frame.
    @Test func a_dump_shows_where_a_running_closure_was_submitted() async throws {
        let queue = SerialQueue(label: "com.example.sited-here")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("dump-\(UUID())")
        try #require(FileManager.default.createFile(atPath: file.path, contents: nil))
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        let line = UInt(#line)
        _ = try await Self.traced {
            let dumped = queue.async {
                #expect(SerialQueue.dump(to: handle.fileDescriptor))
            }
            #expect(dumped)
            try queue.sync {}
        }
        try handle.close()
        let text = try String(contentsOf: file, encoding: .utf8)
        let expected = "in queue \"com.example.sited-here\", submitted from SerialQueueTests/TraceTests.swift:\(line + 2)"
        #expect(text.contains(expected), "\(text)")
    }

    /// To see it fail: leave out `trace(begins:)` in FIFOTurn.
    @Test func a_turn_of_a_FIFOQueue_is_recorded_with_the_label() async throws {
        let fifo = FIFOQueue(label: "com.example.turns-here")
        let text = try await Self.traced {
            await fifo.enqueueAndWait {}
            await fifo.drain()
        }
        #expect(text.contains("com.example.turns-here"))
    }

    @Test func a_second_trace_and_an_end_without_a_trace_are_refused() async throws {
        func code(_ body: () throws(SerialQueue.TraceError) -> Void) -> CInt {
            do throws(SerialQueue.TraceError) { try body() } catch { return error.code }
            return 0
        }
        _ = try await Self.traced {
            #expect(code { () throws(SerialQueue.TraceError) in try SerialQueue.startTrace("/tmp/second") } == EALREADY)
        }
        #expect(code { () throws(SerialQueue.TraceError) in try SerialQueue.stopTrace() } == EINVAL)
        SerialQueue.writeTrace()  // there is none: nothing happens
    }
}
