// OwnershipTests.swift: from its submission on a closure is the queue's. No frame of the submitter's holds on to it, so what it
// captured is released on the queue, however late the submitter continues.
//
// The closures are made in functions that are not inlined, and passed on at once: the tests' own frames hold none of them.

import Dispatch
import SerialQueue
import SerialQueueOrdered
import Testing

/// Counts where the captures of closures are released.
final class Whereabouts: Sendable {
    let queue: SerialQueue
    let on = Counter(), off = Counter()
    private let releases = DispatchSemaphore(value: 0)

    init(_ queue: SerialQueue) {
        self.queue = queue
    }

    /// Waits for one release more; records an issue if there is none.
    func pass(_ location: SourceLocation = #_sourceLocation) {
        if releases.wait(timeout: .now() + .seconds(hangSeconds)) == .timedOut {
            Issue.record("a closure was never released", sourceLocation: location)
        }
    }

    private func capture() -> Captured {
        Captured { [queue, on, off, releases] in
            (queue.isCurrent ? on : off).increment()
            releases.signal()
        }
    }

    @inline(never) func body() -> sending () -> Void {
        let captured = capture()
        return { captured.touch() }
    }

    @inline(never) func answer() -> sending () throws -> sending Int {
        let captured = capture()
        return {
            captured.touch()
            return 1
        }
    }

    @inline(never) func operation() -> sending () async -> Void {
        let captured = capture()
        return { captured.touch() }
    }
}

/// How often a test is repeated whose failure would be a race.
private let tries = isUnderSanitizer ? 500 : 5_000

@Suite(.timeLimit(.minutes(15))) struct OwnershipTests {
    /// Where a queue's closures run.
    enum Place: CaseIterable {
        case own, shared

        var queue: SerialQueue { SerialQueue(label: "owner", on: self == .own ? nil : .shared) }
    }

    /// The queue is idle each time, so that the closure may be over before the submission is.
    @Test(arguments: Place.allCases) func async_leaves_its_closure_to_the_queue(_ place: Place) {
        let queue = place.queue, released = Whereabouts(queue)
        for _ in 0..<tries {
            queue.async(released.body())
            queue.sync {}
        }
        #expect(released.off.value == 0)
        #expect(released.on.value == tries)
    }

    @Test(arguments: Place.allCases) func async_within_leaves_its_closure_to_the_queue(_ place: Place) throws {
        let queue = place.queue, released = Whereabouts(queue)
        for _ in 0..<tries {
            try queue.async(waitingUpTo: .seconds(hangSeconds), released.body())
            queue.sync {}
        }
        #expect(released.off.value == 0)
        #expect(released.on.value == tries)
    }

    @Test(arguments: Place.allCases) func async_after_leaves_its_closure_to_the_queue(_ place: Place) {
        let queue = place.queue, released = Whereabouts(queue)
        for _ in 0..<tries {
            queue.asyncAfter(.zero, released.body())
            released.pass()
        }
        #expect(released.off.value == 0)
    }

    @Test(arguments: Place.allCases) func run_leaves_its_closure_to_the_queue(_ place: Place) async throws {
        let queue = place.queue, released = Whereabouts(queue)
        for _ in 0..<100 { _ = try await queue.run(released.answer()) }
        #expect(released.off.value == 0)
        #expect(released.on.value == 100)
    }

    @Test(arguments: Place.allCases) func submit_leaves_its_closure_to_the_queue(_ place: Place) async throws {
        let queue = place.queue, released = Whereabouts(queue)
        for _ in 0..<tries {
            try await queue.submit(released.body())
            await queue.drain()
        }
        #expect(released.off.value == 0)
        #expect(released.on.value == tries)
    }

    @Test func enqueue_leaves_its_closure_to_the_queue() async {
        let queue = SerialQueue(label: "owner"), released = Whereabouts(queue), fifo = FIFOQueue(on: queue)
        for _ in 0..<tries {
            fifo.enqueue(released.operation())
            queue.sync {}
        }
        await fifo.drain()
        #expect(released.off.value == 0)
        #expect(released.on.value == tries)
    }

    @Test func a_task_on_a_queue_leaves_its_closure_to_the_queue() async {
        let queue = SerialQueue(label: "owner"), released = Whereabouts(queue), fifo = FIFOQueue(on: queue)
        for _ in 0..<tries {
            Task(on: fifo, operation: released.operation())
            queue.sync {}
        }
        await fifo.drain()
        #expect(released.off.value == 0)
        #expect(released.on.value == tries)
    }

    @Test func enqueue_and_wait_leaves_its_closure_to_the_queue() async {
        let queue = SerialQueue(label: "owner"), released = Whereabouts(queue), fifo = FIFOQueue(on: queue)
        for _ in 0..<100 { await fifo.enqueueAndWait(released.operation()) }
        #expect(released.off.value == 0)
        #expect(released.on.value == 100)
    }

    /// The deinit of a captured object may get a deadlock of its own, but the error that is thrown must be that of the call.
    @Test func a_refused_closures_deadlock_does_not_replace_the_callers() throws {
        let full = SerialQueue(label: "the full one", capacity: 1), other = SerialQueue(label: "the other one")
        let met = Counter()
        @inline(never) func body() -> sending () -> Void {
            let captured = Captured { if (try? other.sync(within: .seconds(hangSeconds)) {}) == nil { met.increment() } }
            return { captured.touch() }
        }
        let error = other.sync {
            full.sync {
                full.async {}
                return #expect(throws: SerialQueueError.self) { try full.async(waitingUpTo: .seconds(hangSeconds), body()) }
            }
        }
        #expect(met.value == 1)
        guard case .deadlock(let report)? = error else {
            Issue.record("not a deadlock")
            return
        }
        #expect(report.hasPrefix("waiting for room in queue \"the full one\" from its own task"))
    }
}
