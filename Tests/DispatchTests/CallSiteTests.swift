import Foundation
import SerialQueue
import SerialQueueDispatch
import Testing

@Suite struct CallSiteTests {
    /// In debug and in release builds. In a process of its own, as a dump has names for a limited number of addresses.
    @Test func a_dump_names_the_function_that_called_sync() async {
        await #expect(processExitsWith: .success) {
            let serial = SerialQueueDispatch.DispatchQueue(label: "serial")
            let shared = SerialQueueDispatch.DispatchQueue(label: "shared", attributes: .concurrent)
            // So that they record call sites.
            serial.sync { _ = SerialQueue.current!.onStall(after: .seconds(3600)) { _ in } }
            shared.sync { _ = ConcurrentQueue.current!.onStall(after: .seconds(3600)) { _ in } }
            let names = ["plainCaller", "waitingCaller", "barrierCaller", "waitingBarrierCaller"]
            let lines = [try plainCaller(serial), try waitingCaller(serial), try barrierCaller(shared), try waitingBarrierCaller(shared)]
            for (name, line) in zip(names, lines) {
                // A release build makes one function of two whose instructions are the same.
                #expect(line?.contains("Caller") == true, "\(name): \(line ?? "no line of a dump")")
            }
        }
    }
}

@inline(never) private func plainCaller(_ queue: SerialQueueDispatch.DispatchQueue) throws -> Substring? {
    try queue.sync { try dumpedCall() }
}

@inline(never) private func waitingCaller(_ queue: SerialQueueDispatch.DispatchQueue) throws -> Substring? {
    try queue.asyncAndWait { try dumpedCall() }
}

@inline(never) private func barrierCaller(_ queue: SerialQueueDispatch.DispatchQueue) throws -> Substring? {
    try queue.sync(flags: .barrier) { try dumpedCall() }
}

@inline(never) private func waitingBarrierCaller(_ queue: SerialQueueDispatch.DispatchQueue) throws -> Substring? {
    try queue.asyncAndWait(flags: .barrier) { try dumpedCall() }
}

/// What a dump says about the running closure.
private func dumpedCall() throws -> Substring? {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("dump-\(UUID())")
    try #require(FileManager.default.createFile(atPath: file.path, contents: nil))
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forWritingTo: file)
    #expect(SerialQueue.dump(to: handle.fileDescriptor))
    try handle.close()
    return String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n").first { $0.contains("in a call by") }
}
