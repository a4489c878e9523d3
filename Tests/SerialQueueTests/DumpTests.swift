import Foundation
import SerialQueue
import Testing

/// What `write` writes into a file.
private func written(_ name: String, _ write: (CInt) -> Bool) throws -> Data {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(ProcessInfo.processInfo.processIdentifier)")
    #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forWritingTo: file)
    #expect(write(handle.fileDescriptor))
    try handle.close()
    return try Data(contentsOf: file)
}

@Suite struct DumpTests {
    @Test func a_dump_names_a_suspended_queue_and_how_much_waits_in_it() throws {
        let queue = SerialQueue(label: "dumped")
        queue.suspend()
        queue.async {}
        let text = String(decoding: try written("dump") { SerialQueue.dump(to: $0) }, as: UTF8.self)
        #expect(text.contains("queue \"dumped\" 0x"))
        #expect(text.contains(": suspended 1 time, 1 waiting"))
        #expect(!SerialQueue.dump(to: -1))
        queue.resume()
    }

    @Test func a_dump_as_json_has_the_same_queue() throws {
        let queue = SerialQueue(label: "dumped as JSON")
        queue.suspend()
        queue.async {}
        let dump = try JSONSerialization.jsonObject(with: try written("json") { SerialQueue.dump(to: $0, json: true) }) as? [String: Any]
        let queues = dump?["queues"] as? [[String: Any]] ?? []
        let own = queues.first { $0["label"] as? String == "dumped as JSON" }
        #expect(own?["suspensions"] as? Int == 1 && own?["waiting"] as? Int == 1)
        #expect((own?["number"] as? String)?.hasPrefix("0x") == true)
        #expect(!SerialQueue.dump(to: -1, json: true))
        queue.resume()
    }
}
