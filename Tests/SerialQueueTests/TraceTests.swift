import Foundation
import SerialQueue
import SerialQueueOrdered
import Testing

/// Each test is a process of its own: there is one trace per process, and it would also have what all other tests do.
@Suite struct TraceTests {
    /// The file, whose texts are plain.
    private static func traced(_ body: () async throws -> Void) async throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("trace-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try SerialQueue.startTrace(path)
        try await body()
        try SerialQueue.stopTrace()
        return String(data: try Data(contentsOf: URL(fileURLWithPath: path)), encoding: .isoLatin1)!
    }

    @Test func an_item_is_recorded_with_its_label() async {
        await #expect(processExitsWith: .success) {
            let queue = SerialQueue(label: "com.example.labelled-here")
            let text = try await Self.traced {
                queue.async(WorkItem(label: "com.example.row") {})
                queue.async(WorkItem(label: "com.example.row-with-itself") { _ in })
                await queue.drain()
            }
            precondition(text.contains("com.example.row-with-itself"))
            precondition(text.components(separatedBy: "com.example.row").count == 3)
        }
    }

    @Test func a_turn_of_a_FIFOQueue_is_recorded_with_the_label() async {
        await #expect(processExitsWith: .success) {
            let fifo = FIFOQueue(label: "com.example.turns-here")
            let text = try await Self.traced {
                await fifo.enqueueAndWait {}
                await fifo.drain()
            }
            precondition(text.contains("com.example.turns-here"))
        }
    }

    @Test func a_second_trace_and_an_end_without_a_trace_are_refused() async {
        await #expect(processExitsWith: .success) {
            func code(_ body: () throws(SerialQueue.TraceError) -> Void) -> CInt {
                do throws(SerialQueue.TraceError) { try body() } catch { return error.code }
                return 0
            }
            _ = try await Self.traced {
                precondition(code { () throws(SerialQueue.TraceError) in try SerialQueue.startTrace("/tmp/second") } == EALREADY)
            }
            precondition(code { () throws(SerialQueue.TraceError) in try SerialQueue.stopTrace() } == EINVAL)
            SerialQueue.writeTrace()  // there is none: nothing happens
        }
    }
}
