import Foundation
import SerialQueue
import Testing

@Suite struct CallSiteTests {
    /// In debug and in release builds. In a process of its own, as a dump has names for a limited number of addresses.
    @Test func a_dump_names_the_function_that_made_the_call() async {
        await #expect(processExitsWith: .success) {
            for caller in Caller.allCases {
                let line = try await Self.line(of: caller)
                #expect(line?.contains(caller.name) == true, "\(caller): \(line ?? "no line of a dump")")
            }
        }
    }

    /// What a dump says about the closure of this call, while it runs.
    private static func line(of caller: Caller) async throws -> Substring? {
        let queue = ConcurrentQueue(label: "called \(caller)"), ran = Semaphore(value: 0)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("dump-\(UUID())")
        try #require(FileManager.default.createFile(atPath: file.path, contents: nil))
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        queue.onStall(after: .seconds(3600)) { _ in }  // so that it records call sites
        let timer = try await caller.call(queue) {
            #expect(SerialQueue.dump(to: handle.fileDescriptor))
            ran.signal()
        }
        try await ran.withPermit {}
        timer?.cancel()
        await queue.drain()
        try handle.close()
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        return text.split(separator: "\n").first {
            $0.contains("in queue \"called \(caller)\"") && ($0.contains("submitted by") || $0.contains("in a call by"))
        }
    }
}
