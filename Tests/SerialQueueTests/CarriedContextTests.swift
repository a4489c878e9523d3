// CarriedContextTests.swift: the rows of the table in WhichQueue.md, "What a call carries".

import CTestSupport
import SerialQueue
import SerialQueueOrdered
import Testing

/// What a closure finds of its caller, which has the number 1, is cancelled and has the priority `low`.
private struct Found: Equatable, Sendable, CustomTestStringConvertible {
    @TaskLocal static var number = 0

    var taskLocal = Found.number
    var isCancelled = Task.isCancelled
    var isTask = withUnsafeCurrentTask { $0 != nil }
    var isLow = Task.currentPriority == .low

    var testDescription: String { "task-local \(taskLocal), cancelled \(isCancelled), task \(isTask), low \(isLow)" }

    static let all = Found(taskLocal: 1, isCancelled: true, isTask: true, isLow: true)
    static let nothing = Found(taskLocal: 0, isCancelled: false, isTask: false, isLow: false)
    /// A task of its own, which inherits.
    static let copied = Found(taskLocal: 1, isCancelled: false, isTask: true, isLow: true)
}

/// The answer of a closure whose call does not return it.
private final class Answer: Sendable {
    let stream = AsyncStream.makeStream(of: Found.self)

    func give() { stream.continuation.yield(Found()) }

    /// Without the cancellation of the caller, which would end the stream.
    func get() async -> Found? {
        await Task.detached { [stream = stream.stream] in await stream.first { _ in true } }.value
    }
}

@Suite struct CarriedContextTests {
    private let queue = SerialQueue(label: "carried")
    private let readers = ConcurrentQueue(label: "carried by readers")

    /// Runs `body` in a cancelled task with a task-local and a low priority. A task that is awaited has its awaiter's priority: so nothing awaits it.
    private func asCaller(_ body: @escaping @Sendable () async throws -> Found?) async throws -> Found? {
        let result = AsyncThrowingStream.makeStream(of: Found?.self)
        Found.$number.withValue(1) {
            _ = Task(priority: .low) {
                withUnsafeCurrentTask { $0!.cancel() }
                do { result.continuation.yield(try await body()) } catch { result.continuation.finish(throwing: error) }
            }
        }
        for try await found in result.stream { return found }
        return nil
    }

    @Test func sync_carries_everything() async throws {
        func check(_ call: @escaping @Sendable () async throws -> Found?) async throws {
            let found = try await asCaller(call)
            #expect(found == .all)
        }
        try await check { [queue] in queue.sync { Found() } }
        try await check { [queue] in queue.trySync { Found() } }
        try await check { [queue] in try queue.sync(within: .seconds(30)) { Found() } }
        try await check { [readers] in readers.sync { Found() } }
        try await check { [readers] in readers.syncBarrier { Found() } }
    }

    @Test func async_carries_nothing() async throws {
        func check(_ submit: @escaping @Sendable (Answer) -> Void) async throws {
            let found = try await asCaller {
                let answer = Answer()
                submit(answer)
                return await answer.get()
            }
            #expect(found == .nothing)
        }
        try await check { [queue] answer in queue.async { answer.give() } }
        try await check { [queue] answer in queue.asyncAfter(.zero) { answer.give() } }
        try await check { [queue] answer in queue.async(WorkItem { answer.give() }) }
        try await check { [queue] answer in queue.async(in: WorkGroup()) { answer.give() } }
        try await check { [readers] answer in readers.asyncBarrier { answer.give() } }
        let timers = QueueIsolated([SerialQueue.Timer](), on: SerialQueue(label: "timers"))
        try await check { [queue] answer in
            let timer = queue.makeTimer { answer.give() }
            timer.start(after: .zero)
            timers.sync { $0.append(timer) }
        }
    }

    @Test func runAndWait_carries_nothing() async throws {
        let found = try await asCaller { [queue] in try queue.runAndWait(within: .seconds(30)) { Found() } }
        #expect(found == .nothing)
    }

    /// A caller that is cancelled while the closure runs: one that is cancelled before does not get so far.
    @Test func run_and_runBarrier_carry_nothing_also_when_the_caller_is_cancelled_meanwhile() async throws {
        func check(_ call: @escaping @Sendable (@escaping @Sendable () -> Found) async throws -> Found) async throws {
            let started = Counter(), cancelled = Gate()
            let task = Found.$number.withValue(1) {
                Task(priority: .low) {
                    try await call {
                        started.increment()
                        cancelled.pass()
                        return Found()
                    }
                }
            }
            await comesTrue { started.value == 1 }
            task.cancel()
            cancelled.open()
            #expect(try await task.value == .nothing)
        }
        try await check { [queue] body in try await queue.run { body() } }
        try await check { [readers] body in try await readers.run { body() } }
        try await check { [readers] body in try await readers.runBarrier { body() } }
    }

    @Test func the_context_of_run_and_runBarrier_says_when_the_caller_is_cancelled() async throws {
        typealias Body = @Sendable (WorkQueue.RunContext) throws -> [Bool]
        func check(_ call: @escaping @Sendable (@escaping Body) async throws -> [Bool]) async throws {
            let started = Counter()
            let task = Task {
                try await call { context in
                    let before = context.isCancelled
                    try context.checkCancellation()
                    started.increment()
                    eventually { context.isCancelled }  // while this runs on the queue's thread
                    let throwsNow = (try? context.checkCancellation()) == nil
                    return [before, throwsNow, Task.isCancelled]
                }
            }
            await comesTrue { started.value == 1 }
            task.cancel()
            #expect(try await task.value == [false, true, false])
        }
        try await check { [queue] body in try await queue.run { context in try body(context) } }
        try await check { [readers] body in try await readers.run { context in try body(context) } }
        try await check { [readers] body in try await readers.runBarrier { context in try body(context) } }
    }

    @Test func submit_carries_nothing() async throws {
        let answer = Answer()
        try await Found.$number.withValue(1) { try await queue.submit { answer.give() } }
        #expect(await answer.get() == .nothing)
    }

    @Test func enqueue_copies_task_locals_and_priority() async throws {
        let found = try await asCaller {
            let answer = Answer(), queue = FIFOQueue()
            queue.enqueue { answer.give() }
            return await answer.get()
        }
        #expect(found == .copied)
        let other = try await asCaller {
            let answer = Answer(), queue = ActorQueue<Somebody>(), somebody = Somebody()
            queue.adoptExecutionContext(of: somebody)
            queue.enqueue { _ in answer.give() }
            return await answer.get()
        }
        #expect(other == .copied)
        let main = try await asCaller {
            let answer = Answer(), queue = MainActorQueue.shared
            queue.enqueue { answer.give() }
            return await answer.get()
        }
        #expect(main?.taskLocal == 1 && main?.isCancelled == false)
    }

    private actor Somebody {}
}
