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

    /// As above; each of them would be the initialiser without the address that the Swift layer passes on.
    @Test func a_dump_names_the_function_that_made_an_object_without_a_label() async {
        await #expect(processExitsWith: .success) {
            let semaphore = Semaphore(value: 0), group = WorkGroup(), text = Guarded("")
            group.enter()
            Thread { semaphore.wait() }.start()
            Thread { group.wait() }.start()
            while !text.value.contains("for semaphore") || !text.value.contains("for group") {  // the threads wait a moment later
                WorkItem { text.value = (try? Self.dump()) ?? "" }.perform()
            }
            for kind in ["semaphore", "group", "item"] {
                let made = text.value.components(separatedBy: " \(kind) made by ").dropFirst().first?.prefix(while: { $0 != " " })
                #expect(made?.contains("a_dump_names_the_function_that_made_an_object_without_a_label") == true, "\(kind): \(made ?? "none")")
            }
            semaphore.signal()
            group.leave()
        }
    }

    /// What a dump says now.
    private static func dump() throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("dump-\(UUID())")
        try #require(FileManager.default.createFile(atPath: file.path, contents: nil))
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        #expect(SerialQueue.dump(to: handle.fileDescriptor))
        try handle.close()
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    /// What a dump says about the closure of this call, while it runs.
    private static func line(of caller: Caller) async throws -> Substring? {
        let queue = ConcurrentQueue(label: "called \(caller)"), ran = Semaphore(value: 0), text = Guarded("")
        queue.onStall(after: .seconds(3600)) { _ in }  // so that it records call sites
        let timer = try await caller.call(queue) {
            text.value = (try? Self.dump()) ?? ""
            ran.signal()
        }
        try await ran.withPermit {}
        timer?.cancel()
        await queue.drain()
        return text.value.split(separator: "\n").first {
            $0.contains("in queue \"called \(caller)\"") && ($0.contains("submitted by") || $0.contains("in a call by"))
        }
    }
}
