import Foundation
import SerialQueue
import SerialQueueOperations
import Testing

/// What OperationQueue and WorkOperationQueue have in common, as far as Foundation's own tests pin it down: one body tests both.
///
/// What differs is in MovingFromOperationQueue: dependents of a cancelled operation, cycles, priorities that change later.
protocol ParityOperations: AnyObject, Sendable {
    init(width: Int)
    /// Adds an operation after others, in this or another queue; returns it.
    func submit(after: [any ParityOperation], urgent: Bool, _ body: @escaping @Sendable () -> Void) -> any ParityOperation
    func hold()
    func letGo()
    func waitForAll()
    var unfinished: Int { get }
}

protocol ParityOperation: Sendable {
    func stop()
    func waitForEnd()
    var isOver: Bool { get }
}

extension WorkOperation: ParityOperation where Value == Void {
    func stop() { cancel() }
    func waitForEnd() { _ = try? wait() }
    var isOver: Bool { hasEnded }
}

final class OurParityQueue: ParityOperations {
    private let queue: WorkOperationQueue
    init(width: Int) { queue = WorkOperationQueue(label: "parity", width: width, on: WorkerPool(threads: 4)) }
    func submit(after: [any ParityOperation], urgent: Bool, _ body: @escaping @Sendable () -> Void) -> any ParityOperation {
        let operation = WorkOperation("parity", priority: urgent ? .high : .normal) { body() }
        for one in after { try! operation.add(dependency: one as! WorkOperation<Void>) }
        try! queue.add(operation)
        return operation
    }
    func hold() { queue.suspend() }
    func letGo() { queue.resume() }
    func waitForAll() { try! queue.wait() }
    var unfinished: Int { queue.progress.total - queue.progress.finished }
}

final class FoundationOperation: ParityOperation {
    let operation: BlockOperation
    init(_ operation: BlockOperation) { self.operation = operation }
    func stop() { operation.cancel() }
    func waitForEnd() { operation.waitUntilFinished() }
    var isOver: Bool { operation.isFinished }
}

final class FoundationParityQueue: ParityOperations {
    private let queue = OperationQueue()
    init(width: Int) { queue.maxConcurrentOperationCount = width }
    func submit(after: [any ParityOperation], urgent: Bool, _ body: @escaping @Sendable () -> Void) -> any ParityOperation {
        let operation = BlockOperation(block: body)
        if urgent { operation.queuePriority = .high }
        for one in after { operation.addDependency((one as! FoundationOperation).operation) }
        queue.addOperation(operation)
        return FoundationOperation(operation)
    }
    func hold() { queue.isSuspended = true }
    func letGo() { queue.isSuspended = false }
    func waitForAll() { queue.waitUntilAllOperationsAreFinished() }
    var unfinished: Int { queue.operationCount }
}

enum OperationContender: String, CaseIterable, Sendable {
    case foundation, ours

    func queue(_ width: Int) -> any ParityOperations {
        switch self {
        case .foundation: FoundationParityQueue(width: width)
        case .ours: OurParityQueue(width: width)
        }
    }
}

@Suite struct OperationParityTests {
    @Test(arguments: OperationContender.allCases) func width_one_runs_in_the_order_of_adding(contender: OperationContender) {
        let queue = contender.queue(1), order = Record<Int>()
        for number in 0..<100 { _ = queue.submit(after: [], urgent: false) { order.append(number) } }
        queue.waitForAll()
        #expect(order.all == Array(0..<100))
        #expect(queue.unfinished == 0)
    }

    @Test(arguments: OperationContender.allCases) func the_count_is_that_of_unfinished_ones(contender: OperationContender) {
        let queue = contender.queue(2), gate = Gate()
        for _ in 1...5 { _ = queue.submit(after: [], urgent: false) { gate.pass() } }
        #expect(queue.unfinished == 5)
        gate.open()
        queue.waitForAll()
        #expect(queue.unfinished == 0)
    }

    @Test(arguments: OperationContender.allCases) func dependencies_cross_queues_and_waits_include_them(contender: OperationContender) {
        let first = contender.queue(1), second = contender.queue(1), gate = Gate(), order = Record<String>()
        let one = first.submit(after: [], urgent: false) {
            gate.pass()
            order.append("one")
        }
        let two = second.submit(after: [one], urgent: false) { order.append("two") }
        let three = first.submit(after: [two], urgent: false) { order.append("three") }
        gate.open()
        three.waitForEnd()
        #expect(order.all == ["one", "two", "three"])
    }

    @Test(arguments: OperationContender.allCases) func cancelled_while_suspended_it_never_runs(contender: OperationContender) {
        let queue = contender.queue(1), order = Record<String>()
        queue.hold()
        let cancelled = queue.submit(after: [], urgent: false) { order.append("cancelled") }
        _ = queue.submit(after: [], urgent: false) { order.append("other") }
        cancelled.stop()
        queue.letGo()
        queue.waitForAll()
        #expect(order.all == ["other"])
        #expect(cancelled.isOver)
    }

    @Test(arguments: OperationContender.allCases) func width_two_is_concurrent(contender: OperationContender) {
        let queue = contender.queue(2), gates = [Gate(), Gate()]
        for number in 0...1 {
            _ = queue.submit(after: [], urgent: false) {
                gates[number].open()
                gates[1 - number].pass()
            }
        }
        queue.waitForAll()
    }

    @Test(arguments: OperationContender.allCases) func the_urgent_goes_first(contender: OperationContender) {
        let queue = contender.queue(1), order = Record<String>()
        queue.hold()
        _ = queue.submit(after: [], urgent: false) { order.append("normal") }
        _ = queue.submit(after: [], urgent: true) { order.append("urgent") }
        queue.letGo()
        queue.waitForAll()
        #expect(order.all == ["urgent", "normal"])
    }

    @Test(arguments: OperationContender.allCases) func a_dropped_queue_lives_until_its_operations_end(contender: OperationContender) {
        let gate = Gate(), order = Record<Int>()
        let last: any ParityOperation = {
            let queue = contender.queue(1)
            let first = queue.submit(after: [], urgent: false) { gate.pass() }
            return queue.submit(after: [first], urgent: false) { order.append(1) }
        }()
        gate.open()
        last.waitForEnd()
        #expect(order.all == [1])
    }
}
