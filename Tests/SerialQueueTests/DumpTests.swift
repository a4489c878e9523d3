import Foundation
import SerialQueue
import Testing

@Suite struct DumpTests {
    @Test func a_dump_names_a_suspended_queue_and_how_much_waits_in_it() throws {
        let queue = SerialQueue(label: "dumped")
        queue.suspend()
        queue.async {}
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("dump-\(ProcessInfo.processInfo.processIdentifier)")
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        #expect(SerialQueue.dump(to: handle.fileDescriptor))
        try handle.close()
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("queue \"dumped\": suspended 1 time, 1 waiting"))
        #expect(!SerialQueue.dump(to: -1))
        queue.resume()
    }
}
