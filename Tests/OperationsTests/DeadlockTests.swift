import SerialQueue
import Testing

@testable import SerialQueueOperations

/// Waits that would never end: they throw, and name the operations. On real threads, as these block.
///
/// To see most of them fail (by a hang): remove the call of `refuseStuck` from `begin` (OperationWait.swift).
@Suite(.timeLimit(.minutes(15))) struct DeadlockTests {
    let queue = WorkOperationQueue(label: "images", width: 1, on: WorkerPool(threads: 4))

    /// What the wait was refused with; records an issue if it was not.
    private func refusal(_ location: SourceLocation = #_sourceLocation, of wait: () throws -> Void) -> String {
        do { try wait() } catch SerialQueueError.deadlock(let report) { return report } catch {}
        Issue.record("the wait was not refused", sourceLocation: location)
        return ""
    }

    private func refusal(_ location: SourceLocation = #_sourceLocation, of wait: () async throws -> Void) async -> String {
        do { try await wait() } catch SerialQueueError.deadlock(let report) { return report } catch {}
        Issue.record("the wait was not refused", sourceLocation: location)
        return ""
    }

    @Test func a_wait_for_what_the_width_keeps_out() async throws {
        let queue = queue
        let outer = queue.add("outer") {
            let inner = queue.add("inner") { 1 }
            return (inner, refusal { try inner.wait() })
        }
        let (inner, report) = try await outer.value
        #expect(report.contains("operation \"outer\" waits for operation \"inner\""))
        #expect(report.contains("queue \"images\" of width 1 is full with \"outer\""))
        #expect(try await inner.value == 1)
    }

    /// A suspended operation keeps its slot, so an await is no better than a wait.
    @Test func an_await_of_what_the_width_keeps_out() async throws {
        let queue = queue
        let outer = queue.add("outer") { () async throws in
            let inner = queue.add("inner") { 1 }
            return (inner, await refusal { _ = try await inner.value })
        }
        let (inner, report) = try await outer.value
        #expect(report.contains("operation \"outer\" waits for operation \"inner\""))
        #expect(try await inner.value == 1)
    }

    @Test func all_of_a_queue_wait_for_what_comes_next() async throws {
        let queue = WorkOperationQueue(label: "images", width: 2, on: WorkerPool(threads: 4))
        let begun = [Gate(), Gate()], last = WorkOperation("last") { 1 }
        let reports = (0...1).map { number in
            queue.add("waiter \(number)") {
                begun[number].open()
                begun[1 - number].pass()
                if number == 0 { try? queue.add(last) }
                do { return "\(try last.wait())" } catch SerialQueueError.deadlock(let report) { return report }
            }
        }
        let both = try await [reports[0].value, reports[1].value]
        #expect(both.filter { $0 == "1" }.count == 1)
        let report = both.first { $0 != "1" }!
        #expect(report.contains("\"waiter 0\" waits for operation \"last\""))
        #expect(report.contains("\"waiter 1\" waits for operation \"last\""))
        #expect(report.contains("of width 2 is full"))
    }

    @Test func a_wait_for_what_depends_on_the_caller() async throws {
        let queue = WorkOperationQueue(label: "images", width: 4, on: WorkerPool(threads: 4))
        let gate = Gate(), later = WorkOperation("later") { 1 }
        let caller = queue.add("caller") {
            gate.pass()
            return refusal { try later.wait() }
        }
        let between = queue.add("between", after: caller) { 1 }
        try later.add(dependency: between)
        try queue.add(later)
        gate.open()
        let report = try await caller.value
        #expect(report.contains("\"later\" depends on \"between\""))
        #expect(report.contains("\"between\" depends on \"caller\""))
        #expect(try await later.value == 1)
    }

    /// Two queues of width 1, whose operations wait for one of the other queue.
    @Test func a_cycle_over_two_queues() async throws {
        let pool = WorkerPool(threads: 4)
        let queues = ["a", "b"].map { WorkOperationQueue(label: $0, width: 1, on: pool) }
        let begun = [Gate(), Gate()]
        let outers = (0...1).map { number in
            queues[number].add("outer \(number)") {
                begun[number].open()
                begun[1 - number].pass()
                let inner = queues[1 - number].add("inner") { "ran" }
                do { return try inner.wait() } catch SerialQueueError.deadlock(let report) { return report }
            }
        }
        let both = try await [outers[0].value, outers[1].value]
        #expect(both.filter { $0 == "ran" }.count == 1)
        #expect(both.contains { $0.contains("queue \"a\" of width 1") && $0.contains("queue \"b\" of width 1") })
    }

    @Test func the_wait_with_the_earliest_deadline_is_refused() async throws {
        let queue = WorkOperationQueue(label: "images", width: 2, on: WorkerPool(threads: 4))
        let inner = WorkOperation("inner") { "ran" }, gate = Gate()
        let timed = queue.add("timed") {
            gate.open()
            do { return try inner.wait(within: .seconds(3_600)) } catch SerialQueueError.deadlock(let report) { return report }
        }
        let patient = queue.add("patient") {
            gate.pass()
            eventually { OperationGraph.look { !OperationGraph.blockedWaits.filter { $0.blocked?.label == "timed" }.isEmpty } }
            try queue.add(inner)
            return try inner.wait()
        }
        #expect(try await patient.value == "ran")
        let report = try await timed.value
        #expect(report.contains("as it has the earliest deadline"))
    }

    /// The cycle is closed by adding an operation, not by a wait.
    @Test func an_added_operation_closes_the_cycle() async throws {
        let queue = queue
        let late = WorkOperation("late") { 1 }
        let outer = queue.add("outer") { refusal { try late.wait() } }
        eventually { OperationGraph.look { !OperationGraph.blockedWaits.filter { $0.blocked?.label == "outer" }.isEmpty } }
        try queue.add(late)
        let report = try await outer.value
        #expect(report.contains("waits for operation \"late\""))
        #expect(try await late.value == 1)
    }

    @Test func a_queue_that_is_waited_for_by_its_own_operation() async throws {
        let queue = queue
        let report = try await queue.add("outer") { refusal { try queue.wait() } }.value
        #expect(report.contains("operation \"outer\" waits for all operations of queue \"images\""))
    }

    @Test func a_queue_that_is_drained_by_its_own_operation() async throws {
        let queue = queue
        let outer = queue.add("outer") { () async throws in try await queue.drain(within: nil) }
        let error = await #expect(throws: SerialQueueError.self) { try await outer.value }
        guard case .deadlock(let report) = error else { 
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(report.contains("operation \"outer\" waits for all operations of queue \"images\""))
    }

    /// `drain` cannot be refused, so the other wait is.
    @Test func a_wait_for_the_one_that_drains() async throws {
        let pool = WorkerPool(threads: 4), gate = Gate()
        let first = WorkOperationQueue(label: "first", on: pool), second = WorkOperationQueue(label: "second", on: pool)
        let drains = WorkOperation("drains") { () async in await second.drain() }
        let waits = second.add("waits") {
            gate.pass()
            return refusal { try drains.wait() }
        }
        try first.add(drains)
        eventually { OperationGraph.look { !second.core.drains.isEmpty } }
        gate.open()
        let report = try await waits.value
        #expect(report.contains("\"drains\" waits for all operations of queue \"second\""))
        #expect(report.contains("\"waits\" waits for operation \"drains\""))
        try await drains.value
    }

    @Test func an_operation_that_is_added_to_a_queue_which_is_waited_for() async throws {
        let other = WorkOperationQueue(label: "other", on: WorkerPool(threads: 4)), begun = Gate(), end = Gate()
        let first = other.add("first") { end.pass() }
        let waits = queue.add("waits") {
            begun.pass()
            return refusal { try other.wait() }
        }
        begun.open()
        eventually { OperationGraph.look { !other.core.drains.isEmpty } }
        let last = other.add("last", after: waits) { _ in }
        let report = try await waits.value
        #expect(report.contains("\"last\" depends on \"waits\""))
        end.open()
        try await first.value
        try await last.value
    }

    /// A wait that is over soon is not refused: an operation that runs and does not wait may end.
    @Test func no_false_alarm() async throws {
        let queue = WorkOperationQueue(label: "images", width: 2, on: WorkerPool(threads: 4))
        for _ in 1...500 {
            let waits = queue.add("waits") {
                try queue.add("inner") { 1 }.wait()
            }
            for _ in 1...3 { queue.add("other") {} }
            #expect(try await waits.value == 1)
        }
    }

    /// The operation waits for a serial queue whose task waits for an operation that the first one keeps out. The queues' own
    /// detector finds that.
    @Test(arguments: [false, true]) func a_cycle_with_a_serial_queue(isLate: Bool) async throws {
        let queue = queue, serial = SerialQueue(label: "store"), gate = Gate()
        let inner = WorkOperation("inner") { 1 }
        let reports = Record<String>()
        @Sendable func run(_ wait: () throws -> Void) {
            do { try wait() } catch SerialQueueError.deadlock(let report) { reports.append(report) } catch {}
        }
        let begun = Gate()
        let outer = queue.add("outer") {
            begun.open()
            gate.pass()
            run { try serial.sync(within: .seconds(3_600)) {} }
        }
        if !isLate { try queue.add(inner) }
        serial.async {
            begun.pass()
            gate.open()
            run { try inner.wait() }
        }
        if isLate {
            eventually { OperationGraph.look { !inner.node.waiters.isEmpty } }
            try queue.add(inner)
        }
        #expect(try await inner.value == 1)
        try await outer.value
        serial.sync {}
        #expect(reports.all.count == 1)
        #expect(reports.all[0].contains("queue \"store\"") && reports.all[0].contains("\"inner\""))
    }

    /// A chain of predecessors, of which each runs on a lane for a while.
    @Test func a_wait_in_a_task_follows_the_predecessors() async throws {
        let queue = WorkOperationQueue(label: "images", width: 2, on: WorkerPool(threads: 4))
        let serial = SerialQueue(label: "store"), gate = Gate()
        var last = queue.add("first") { gate.pass() }
        for _ in 1...50 { last = queue.add("link", after: last) { _ in } }
        let closing = queue.add("closing", after: last) { _ in
            do { try serial.sync(within: .seconds(3_600)) {} } catch SerialQueueError.deadlock(let report) { return report }
            return ""
        }
        serial.async {
            gate.open()
            _ = try? closing.wait()
        }
        let report = try await closing.value
        #expect(report.contains("\"closing\""))
    }
}
