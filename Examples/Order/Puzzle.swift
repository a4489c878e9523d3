import Foundation
import SerialQueue
import SerialQueueTesting
import Synchronization

/// The tutorials' puzzle: a function prints 1, submits a task, prints 5; the task prints 2, submits another one that prints 3, and
/// prints 4. What is printed, in which order?
struct Puzzle: Sendable {
    enum Call: String, Sendable { case sync, async }

    let isConcurrent: Bool
    let outer: Call
    let inner: Call

    static let all = [false, true].flatMap { isConcurrent in
        [(.sync, .sync), (.sync, .async), (.async, .sync), (.async, .async)].map { (outer: Call, inner: Call) in
            Puzzle(isConcurrent: isConcurrent, outer: outer, inner: inner)
        }
    }

    var title: String {
        "\(isConcurrent ? "concurrent" : "serial") queue: 1 \(outer) { 2 \(inner) { 3 } 4 } 5"
    }

    /// Plays it once, on threads.
    ///
    /// - Parameter pause: Called before each number is printed.
    func play(pause: @escaping @Sendable () -> Void = {}) -> Notes {
        let notes = Notes()
        let queue: WorkQueue = isConcurrent ? ConcurrentQueue(label: "puzzle") : SerialQueue(label: "puzzle")
        play(on: queue, notes, isExplored: false, pause)
        notes.group.wait()
        return notes
    }

    /// All that it can print: what it prints under every schedule. The schedules are explored depth first, until there are no others.
    func explore() async throws -> (outputs: [String], schedules: Int) {
        let outputs = Outputs()
        let explored = try await exploreSchedules(100_000, strategy: .depthFirst, name: "puzzle") { pool in
            let notes = Notes()
            let queue: WorkQueue =
                isConcurrent ? ConcurrentQueue(label: "puzzle", width: 3, on: pool) : SerialQueue(label: "puzzle", on: pool)
            SerialQueue(label: "caller", on: pool).async(in: notes.group) {
                play(on: queue, notes, isExplored: true) { pool.yield() }
            }
            try await notes.group.wait()
            outputs.insert(notes.printed)
        }
        guard explored.isComplete else { die("\(title): there are more than \(explored.schedules) schedules") }
        return (outputs.sorted, explored.schedules)
    }

    private func play(on queue: WorkQueue, _ notes: Notes, isExplored: Bool, _ pause: @escaping @Sendable () -> Void) {
        @Sendable func print(_ number: Int) {
            pause()
            notes.print(number)
        }
        print(1)
        submit(outer, to: queue, notes, isExplored: isExplored) {
            print(2)
            submit(inner, to: queue, notes, isExplored: isExplored) { print(3) }
            print(4)
        }
        print(5)
    }

    /// - Parameter isExplored: A deadlock would be a failure of the schedule, so the call that would be refused is left out. And a wait with
    ///   a limit would expire under some schedules.
    private func submit(
        _ call: Call, to queue: WorkQueue, _ notes: Notes, isExplored: Bool, _ body: @escaping @Sendable () -> Void
    ) {
        notes.add("\(call) {")
        notes.group.enter()
        let task = {
            body()
            notes.group.leave()
        }
        switch call {
        case .async: if !queue.async(task) { die("the queue refused a task") }
        case .sync where isExplored && !isConcurrent && queue.isCurrent: notes.group.leave()
        case .sync where isExplored: queue.sync(task)
        case .sync:
            // `sync` without a limit would end the program with the same report.
            do { try queue.sync(within: .seconds(60), task) } catch {
                guard case SerialQueueError.deadlock = error else { die("the queue refused a task: \(error)") }
                notes.add("} deadlock", note: "refused: it would wait for its own task")
                notes.group.leave()
            }
        }
    }
}

/// What was printed under the schedules so far.
private final class Outputs: Sendable {
    private let found = Mutex<Set<String>>([])

    func insert(_ output: String) {
        found.withLock { _ = $0.insert(output) }
    }

    var sorted: [String] { found.withLock { $0.sorted() } }
}

/// What happened, when, and on which thread.
///
/// `@unchecked Sendable`: everything that changes is touched with `lock` held.
final class Notes: @unchecked Sendable {
    private struct Note {
        let nanoseconds: UInt64
        let thread: Int
        let text: String
        let remark: String
    }

    /// Its members are the tasks.
    let group = WorkGroup(label: "puzzle")
    private let lock = NSLock()
    private var threads = ThreadNumbers()
    private var notes: [Note] = []
    private var digits = ""

    func print(_ number: Int) {
        add("\(number)", digit: "\(number)")
    }

    func add(_ text: String, digit: String = "", note: String = "") {
        lock.withLock {
            notes.append(Note(nanoseconds: nanosecondsNow(), thread: threads.this(), text: text, remark: note))
            digits += digit
        }
    }

    /// The numbers, in the order in which they were printed.
    var printed: String { lock.withLock { digits } }

    /// A column for each thread, a row for each note.
    var timeline: String {
        lock.withLock {
            let names = (0..<threads.count).map { $0 == 0 ? "main" : "thread \($0)" }
            let rows = notes.map { note in
                line(
                    time: "\((note.nanoseconds - notes[0].nanoseconds) / 1000)",
                    cells: (0..<threads.count).map { $0 == note.thread ? note.text : "" }, note: note.remark)
            }
            return ([line(time: "us", cells: names, note: "")] + rows).joined(separator: "\n")
        }
    }
}

/// Lasts for up to 0.3 ms, or not at all. Without it nearly all rounds are the same: a thread that has to wake up is
/// always later than one that runs.
@Sendable private func waitAtRandom() {
    let end = nanosecondsNow() + UInt64.random(in: 0...300_000) * (Bool.random() ? 1 : 0)
    while nanosecondsNow() < end {}
}

/// Draws each puzzle once, plays it often, and shows what was printed next to all that can be.
func showPuzzles(rounds: Int) async throws -> Bool {
    var allHold = true
    for puzzle in Puzzle.all {
        let first = puzzle.play()
        let possible = try await puzzle.explore()
        var seen: [String: Int] = [first.printed: 1]
        for _ in 1..<rounds { seen[puzzle.play(pause: waitAtRandom).printed, default: 0] += 1 }
        let counts = possible.outputs.map { "\($0) \(seen[$0] ?? 0)x" }.joined(separator: ", ")
        write("\(puzzle.title)\n\n\(first.timeline)\n\n")
        write("     allowed \(possible.outputs.joined(separator: ", ")); in all \(possible.schedules) schedule\(possible.schedules == 1 ? "" : "s")\n")
        write("     printed \(first.printed); of \(rounds) rounds: \(counts)\n\n")
        for other in seen.keys.sorted() where !possible.outputs.contains(other) {
            complain("broken promise: \(puzzle.title) printed \(other)")
            allHold = false
        }
    }
    return allHold
}
