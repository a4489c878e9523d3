import Foundation

/// A task of the replay.
struct ReplayedTask: Sendable {
    let name: String
    let isSync: Bool
    let caller: Int  // its thread's number
}

/// What happened to a task, when, and on which thread.
struct Event: Sendable {
    enum Moment { case submits, returned, runs, done }

    let microseconds: Double  // since the first event
    let moment: Moment
    let task: Int
    let thread: Int  // the callers count from 0; other threads come after them
}

/// The record of a scene: all events of all threads in one order.
struct Record: Sendable {
    let tasks: [ReplayedTask]
    let callerCount: Int
    var threadCount: Int
    var events: [Event] = []

    /// The index of an event; `events.count` if it is not there.
    func place(_ moment: Event.Moment, _ task: Int) -> Int {
        events.firstIndex { $0.moment == moment && $0.task == task } ?? events.count
    }
}

/// Takes the events down. The lock puts them in one order, each with the time at which it was put there; the queue that
/// is being watched must not be what makes the order.
///
/// `@unchecked Sendable`: everything that changes is touched with `lock` held.
final class Recorder: @unchecked Sendable {
    private let lock = NSLock()
    private var threads: ThreadNumbers
    private var record: Record
    private var began: UInt64?

    init(tasks: [ReplayedTask], callerCount: Int) {
        threads = ThreadNumbers(reserved: callerCount)
        record = Record(tasks: tasks, callerCount: callerCount, threadCount: callerCount)
    }

    /// Makes the calling thread the caller with this number.
    func beginCaller(_ number: Int) {
        lock.withLock { threads.reserve(number) }
    }

    /// Notes that it happens now, on the calling thread.
    func note(_ moment: Event.Moment, _ task: Int) {
        lock.withLock {
            let now = nanosecondsNow()
            let start = began ?? now
            began = start
            record.events.append(
                Event(microseconds: Double(now - start) / 1000, moment: moment, task: task, thread: threads.this()))
            record.threadCount = threads.count
        }
    }

    var result: Record { lock.withLock { record } }
}

/// Numbers the threads that come by.
struct ThreadNumbers {
    private var threads: [pthread_t?]

    /// The first numbers are for threads that reserve them.
    init(reserved count: Int = 0) {
        threads = Array(repeating: nil, count: count)
    }

    var count: Int { threads.count }

    /// Gives the calling thread this number.
    mutating func reserve(_ number: Int) {
        threads[number] = pthread_self()
    }

    /// The number of the calling thread: a new one, if it has none yet.
    mutating func this() -> Int {
        let this = pthread_self()
        if let known = threads.firstIndex(where: { $0.map { pthread_equal($0, this) != 0 } ?? false }) { return known }
        threads.append(this)
        return threads.count - 1
    }
}

func nanosecondsNow() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
