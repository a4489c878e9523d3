import Foundation
import Testing

/// A thread of its own: tests that block must not sit on the threads that Swift Testing, or Dispatch, share out.
final class TestThread: Sendable {
    private let ended = Gate()

    init(_ body: @escaping @Sendable () -> Void) {
        // Foundation's thread releases its block a moment after the block's end: by then there is nothing in it.
        let body = Guarded<(@Sendable () -> Void)?>(body)
        let thread = Thread { [ended] in
            body.value!()
            body.value = nil
            ended.open()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }

    func join(_ location: SourceLocation = #_sourceLocation) {
        ended.pass(location)
    }
}

/// Runs `body` on `count` threads at a time and waits for all.
func onThreads(_ count: Int, _ location: SourceLocation = #_sourceLocation, _ body: @escaping @Sendable (Int) -> Void) {
    let start = Gate()
    let threads = (0..<count).map { index in
        TestThread {
            start.pass(location)
            body(index)
        }
    }
    start.open()
    threads.forEach { $0.join(location) }
}

/// The names of this process's threads. Linux keeps the first 15 bytes of each.
func threadNames() -> [String] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.compactMap { task in
        // Not String(contentsOfFile:): Foundation 6.3 leaks its buffer if the thread ends between open and read.
        let name = try? FileHandle(forReadingAtPath: "/proc/self/task/\(task)/comm")?.readToEnd()
        return name.map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .newlines) }
    }
}

/// Whether the system lets everybody reserve as much memory as they like (vm.overcommit_memory = 1).
func promisesAnyMemory() -> Bool {
    let setting = try? String(contentsOfFile: "/proc/sys/vm/overcommit_memory", encoding: .utf8)
    return setting?.hasPrefix("1") ?? false
}

/// Waits until `condition` holds; for what the system does in its own time, such as the end of a thread.
func eventually(_ location: SourceLocation = #_sourceLocation, _ condition: () -> Bool) {
    let deadline = ContinuousClock.now + .seconds(hangSeconds)
    while !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("it never came true", sourceLocation: location)
            return
        }
        Thread.sleep(forTimeInterval: 0.001)
    }
}
