/// The record as a picture.
///
///           us  A             queue's thread
///            0  async 1
///            8  sync 2                         waits for 1
///           60  :             [ 1 runs
///          361  :             ] 1 done
///          371  [ 2 runs
///          672  ] 2 done
///
/// A colon marks a sync that waits for its turn, a bar a task that runs.
struct Timeline {
    let record: Record

    /// A column for each thread, a row for each event but `returned`.
    var text: String {
        var lines = [header]
        lines += record.events.indices.filter { record.events[$0].moment != .returned }.map(row)
        let ran = record.events.filter { $0.moment == .runs }.map { record.tasks[$0.task].name }
        return lines.joined(separator: "\n") + "\n\n     ran \(ran.joined(separator: " "))"
    }

    private var header: String {
        let names = (0..<record.threadCount).map { thread in
            if thread > record.callerCount { return "?" }
            if thread == record.callerCount { return "queue's thread" }
            return record.callerCount == 1 ? "main" : "thread \(callerLetter(thread))"
        }
        return line(time: "us", cells: names, note: "")
    }

    private func row(_ row: Int) -> String {
        let event = record.events[row]
        let cells = (0..<record.threadCount).map { $0 == event.thread ? cell(event) : stateMark($0, before: row) }
        return line(time: String(Int(event.microseconds.rounded())), cells: cells, note: waits(row))
    }

    private func cell(_ event: Event) -> String {
        let task = record.tasks[event.task]
        switch event.moment {
        case .submits: return "\(task.isSync ? "sync" : "async") \(task.name)"
        case .runs: return "[ \(task.name) runs"
        case .done: return "] \(task.name) done"
        case .returned: return ""
        }
    }

    /// The mark in a column without an event in this row: the state of its thread.
    private func stateMark(_ thread: Int, before row: Int) -> String {
        let last = record.events[..<row].last { $0.thread == thread && $0.moment != .returned }
        switch last?.moment {
        case .runs: return "|"
        case .submits: return record.tasks[last!.task].isSync ? ":" : ""
        default: return ""
        }
    }

    /// Names the tasks that were done between a sync's submission, in this row, and its own turn.
    private func waits(_ row: Int) -> String {
        let event = record.events[row]
        guard event.moment == .submits, record.tasks[event.task].isSync else { return "" }
        let turn = max(record.place(.runs, event.task), row)
        let names = record.events[row..<turn].filter { $0.moment == .done }.map { record.tasks[$0.task].name }
        return names.isEmpty ? "" : "waits for " + names.joined(separator: " ")
    }
}

/// One line: the time, a column for each thread, and a note.
func line(time: String, cells: [String], note: String) -> String {
    let width = 12
    let padded = String(repeating: " ", count: max(8 - time.count, 0)) + time
    let columns = cells.map { $0 + String(repeating: " ", count: max(width - $0.count, 0)) }
    let line = ([padded] + columns + [note]).joined(separator: "  ")
    return String(line.reversed().drop { $0 == " " }.reversed())
}

func callerLetter(_ number: Int) -> Character {
    Character(UnicodeScalar(UInt8(ascii: "A") + UInt8(number)))
}
