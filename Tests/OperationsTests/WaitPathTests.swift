import SerialQueue
import Testing

@testable import SerialQueueOperations

/// A task of a serial queue waits for an operation, and an operation that has to end before waits for that queue. The queues' own
/// detector finds that cycle, in whatever order it comes about, if the wait is always tied to the lane of the right operation.
@Suite(.timeLimit(.minutes(15))) struct WaitPathTests {
    let pool = WorkerPool(threads: 4)
    let serial = SerialQueue(label: "store")
    let reports = Record<String>()
    let begun = Gate(), waits = Gate()

    private func queue(_ label: String = "images", width: Int = 1) -> WorkOperationQueue {
        WorkOperationQueue(label: label, width: width, on: pool)
    }

    /// The closure of the operation that needs the serial queue, when the task on that has begun.
    private func needsStore() -> @Sendable () -> Void {
        let serial = serial, reports = reports, begun = begun
        return {
            begun.pass()
            record(reports) { try serial.sync(within: .seconds(3_600)) {} }
        }
    }

    @discardableResult
    private func add(_ label: String, to queue: WorkOperationQueue, priority: OperationPriority = .normal) -> WorkOperation<Void> {
        let body = needsStore()
        return queue.add(label, priority: priority) { body() }
    }

    /// The task of the serial queue. Returns when it waits.
    private func waitInStore(for waited: OperationNode, _ wait: @escaping @Sendable () throws -> Void) {
        let reports = reports
        serial.async { record(reports, wait) }
        eventually { OperationGraph.look { !waited.waiters.isEmpty } }
    }

    /// One of the two waits was refused, and the report names both sides.
    private func check(_ label: String, _ location: SourceLocation = #_sourceLocation) {
        serial.sync {}
        #expect(reports.all.count == 1, sourceLocation: location)
        let report = reports.all.first ?? ""
        #expect(report.contains("queue \"store\"") && report.contains("\"\(label)\""), "\(report)", sourceLocation: location)
    }

    /// `add` (QueueCore.swift). The operation is added when the task waits for it already: it is kept out by the width, or runs.
    @Test(arguments: [1, 2]) func the_operation_is_added_late(width: Int) async throws {
        let queue = queue(width: width), needsStore = needsStore()
        let body: @Sendable () -> Void = { if width > 1 { needsStore() } }
        let inner = WorkOperation("inner") { body() }
        if width == 1 { add("outer", to: queue) }
        waitInStore(for: inner.node) { try inner.wait() }
        try queue.add(inner)
        begun.open()
        try await inner.value
        await queue.drain()
        check("inner")
    }

    /// `add`. What the operation depends on is added when the task waits already.
    @Test func a_predecessor_is_added_late() async throws {
        let queue = queue(width: 2), body = needsStore()
        let late = WorkOperation("late") { body() }
        let inner = queue.add("inner", after: late) {}
        waitInStore(for: inner.node) { try inner.wait() }
        try queue.add(late)
        begun.open()
        try await inner.value
        check("inner")
    }

    /// `take` (QueueCore.swift). The wait begins when no lane has taken the operation that is ahead.
    @Test func what_is_ahead_starts_late() async throws {
        let queue = queue()
        queue.suspend()
        let inner = queue.add("inner") {}
        queue.add("other", priority: .high) {}
        waitInStore(for: inner.node) { try inner.wait() }
        add("outer", to: queue, priority: .high)
        queue.resume()
        begun.open()
        try await inner.value
        check("inner")
    }

    /// Operations come and go ahead of the one that is waited for. The lane posts itself again between them, so the caller has to look
    /// again.
    @Test func many_are_ahead() async throws {
        let queue = queue(), first = Gate()
        queue.add("first") { first.pass() }
        for number in 1...100 { queue.add("\(number)") {} }
        add("outer", to: queue)
        let inner = queue.add("inner") {}
        waitInStore(for: inner.node) { try inner.wait() }
        first.open()
        begun.open()
        try await inner.value
        check("inner")
    }

    /// `publish` (OperationEnd.swift). An operation that is async is followed when it has ended.
    @Test func an_async_operation_is_ahead() async throws {
        let queue = queue(), first = WorkGroup(label: "first")
        first.enter()
        queue.add("first") { () async throws in try await first.wait() }
        add("outer", to: queue)
        let inner = queue.add("inner") {}
        waitInStore(for: inner.node) { try inner.wait() }
        first.leave()
        begun.open()
        try await inner.value
        check("inner")
    }

    /// `take`. The task waits for all operations of a queue.
    @Test(arguments: [false, true]) func a_wait_for_a_queue(isLate: Bool) async throws {
        let queue = queue(width: 2), serial = serial, reports = reports
        if isLate { queue.suspend() }
        let outer = add("outer", to: queue)
        serial.async { record(reports) { try queue.wait() } }
        eventually { OperationGraph.look { !queue.core.drains.isEmpty } }
        if isLate { queue.resume() }
        begun.open()
        try await outer.value
        await queue.drain()
        check("images")
    }

    /// The end of the wait does not wait for what the operation needed before it was cancelled.
    @Test func a_cancelled_operation_is_not_waited_for() async throws {
        let queue = queue(width: 2), first = Gate(), serial = serial, reports = reports
        let predecessor = queue.add("predecessor") { first.pass() }
        let inner = queue.add("inner", after: predecessor) { }
        let result = Record<Bool>()
        waitInStore(for: inner.node) {
            do { try inner.wait() } catch is CancellationError { result.append(true) }
            first.open()
        }
        inner.cancel()
        try await predecessor.value
        serial.sync {}
        #expect(result.all == [true] && reports.all == [])
    }

    /// `publish`. What was between the operation and its predecessor is cancelled: so the predecessor is needed no more.
    @Test func a_shorter_way_is_no_deadlock() async throws {
        let queue = queue(width: 2), first = Gate(), serial = serial, reports = reports
        let predecessor = queue.add("predecessor") {
            first.pass()
            record(reports) { try serial.sync(within: .seconds(3_600)) {} }
        }
        let between = queue.add("between", after: predecessor) {}
        let last = Gate()
        let inner = queue.add("inner", after: between, runs: .evenAfterFailure) { _ in last.pass() }
        waitInStore(for: inner.node) { try inner.wait() }
        between.cancel()
        first.open()
        eventually { serial.depth > 0 }
        last.open()
        try await predecessor.value
        #expect(reports.all == [])
    }

    /// A chain, whose operations run on one lane, is followed in steps that do not depend on its length.
    @Test func a_long_chain_is_followed_step_by_step() async throws {
        let queue = queue(width: 2), first = Gate()
        var last = queue.add("first") { first.pass() }
        for _ in 1...5_000 { last = queue.add("link", after: last) {} }
        let inner = last, before = OperationGraph.look { OperationGraph.followed }
        waitInStore(for: inner.node) { try inner.wait() }
        first.open()
        try await inner.value
        serial.sync {}
        // Other tests follow chains at the same time. Each operation from the beginning: 12 million.
        #expect(OperationGraph.look { OperationGraph.followed } - before < 1_000_000)
    }
}

private func record(_ reports: Record<String>, _ wait: () throws -> Void) {
    do { try wait() } catch SerialQueueError.deadlock(let report) { reports.append(report) } catch {}
}
