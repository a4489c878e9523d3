import Foundation
import SerialQueue

/// Some threads that submit to one queue at the same time.
struct Scene: Sendable {
    private static let tasksPerCaller = 5
    private static let taskMicroseconds: UInt32 = 300  // long enough to see which thread waits

    private let callerCount: Int
    private let queue = SerialQueue(label: "order")
    private let recorder: Recorder

    init(callerCount: Int) {
        self.callerCount = callerCount
        let tasks = (0..<callerCount * Self.tasksPerCaller).map { index in
            let number = index % Self.tasksPerCaller + 1
            let caller = index / Self.tasksPerCaller
            return ReplayedTask(
                name: callerCount == 1 ? "\(number)" : "\(callerLetter(caller))\(number)",
                isSync: number == 3 || number == 5, caller: caller)
        }
        recorder = Recorder(tasks: tasks, callerCount: callerCount)
    }

    /// Plays it, with one caller on this thread.
    func play() -> Record {
        if callerCount == 1 {
            runCaller(0)
        } else {
            let threads = (0..<callerCount).map { number in startThread { runCaller(number) } }
            for thread in threads { pthread_join(thread, nil) }
        }
        return recorder.result
    }

    /// What the tutorials do. The last is a sync: when it returns, all tasks of this caller are done.
    private func runCaller(_ number: Int) {
        recorder.beginCaller(number)
        let first = number * Self.tasksPerCaller
        async(first)
        async(first + 1)
        sync(first + 2)
        async(first + 3)
        sync(first + 4)
    }

    private func async(_ task: Int) {
        recorder.note(.submits, task)
        guard queue.async({ [recorder] in Self.run(task, recorder) }) else { die("the queue refused a task") }
        recorder.note(.returned, task)
    }

    private func sync(_ task: Int) {
        recorder.note(.submits, task)
        queue.sync { Self.run(task, recorder) }
        recorder.note(.returned, task)
    }

    private static func run(_ task: Int, _ recorder: Recorder) {
        recorder.note(.runs, task)
        usleep(taskMicroseconds)
        recorder.note(.done, task)
    }
}

/// Foundation's `Thread` does not report that it could not be started, and cannot be joined.
private func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
    final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let error = pthread_create(&thread, nil, { context in
        Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
        return nil
    }, Unmanaged.passRetained(Box(body)).toOpaque())
    if error != 0 { die("a thread cannot be started: \(String(cString: strerror(error)))") }
    return thread
}
