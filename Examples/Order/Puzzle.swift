import Foundation
import SerialQueue

/// The tutorials' puzzle: a function prints 1, submits a task, prints 5; the task prints 2, submits another one that prints 3, and
/// prints 4. What is printed, in which order?
struct Puzzle: Sendable {
    enum Call: String, Sendable { case sync, async }

    let isConcurrent: Bool
    let outer: Call
    let inner: Call
    /// All that it can print. The schedule explorer reaches each of these, and nothing else (Tests/Explore/scenarios/concurrent.c).
    let possible: [String]

    static let all = [
        Puzzle(isConcurrent: false, outer: .sync, inner: .sync, possible: ["1245"]),
        Puzzle(isConcurrent: false, outer: .sync, inner: .async, possible: ["12435", "12453"]),
        Puzzle(isConcurrent: false, outer: .async, inner: .sync, possible: ["1245", "1254", "1524"]),
        Puzzle(isConcurrent: false, outer: .async, inner: .async, possible: ["12435", "12453", "12543", "15243"]),
        Puzzle(isConcurrent: true, outer: .sync, inner: .sync, possible: ["12345"]),
        Puzzle(isConcurrent: true, outer: .sync, inner: .async, possible: ["12345", "12435", "12453"]),
        Puzzle(isConcurrent: true, outer: .async, inner: .sync, possible: ["12345", "12354", "12534", "15234"]),
        Puzzle(
            isConcurrent: true, outer: .async, inner: .async,
            possible: ["12345", "12354", "12435", "12453", "12534", "12543", "15234", "15243"]),
    ]

    var title: String {
        "\(isConcurrent ? "concurrent" : "serial") queue: 1 \(outer) { 2 \(inner) { 3 } 4 } 5"
    }

    /// Plays it once.
    func play() -> Notes {
        let notes = Notes()
        let queue: WorkQueue = isConcurrent ? ConcurrentQueue(label: "puzzle") : SerialQueue(label: "puzzle")
        notes.print(1)
        submit(outer, to: queue, notes) {
            notes.print(2)
            submit(inner, to: queue, notes) { notes.print(3) }
            notes.print(4)
        }
        notes.print(5)
        notes.group.wait()
        return notes
    }

    private func submit(_ call: Call, to queue: WorkQueue, _ notes: Notes, _ body: @escaping @Sendable () -> Void) {
        notes.add("\(call) {")
        notes.group.enter()
        let task = {
            body()
            notes.group.leave()
        }
        switch call {
        case .async: if !queue.async(task) { die("the queue refused a task") }
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

/// Draws each puzzle once, plays it often, and compares what was printed with what is possible.
func showPuzzles(rounds: Int) -> Bool {
    var allHold = true
    for puzzle in Puzzle.all {
        let first = puzzle.play()
        var seen: [String: Int] = [first.printed: 1]
        for _ in 1..<rounds { seen[puzzle.play().printed, default: 0] += 1 }
        let counts = puzzle.possible.map { "\($0) \(seen[$0] ?? 0)x" }.joined(separator: ", ")
        write("\(puzzle.title)\n\n\(first.timeline)\n\n     printed \(first.printed); of \(rounds) rounds: \(counts)\n\n")
        for other in seen.keys.sorted() where !puzzle.possible.contains(other) {
            complain("broken promise: \(puzzle.title) printed \(other)")
            allHold = false
        }
    }
    return allHold
}
