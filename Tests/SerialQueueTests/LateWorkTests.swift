import CSerialQueue
import Glibc
import SerialQueue
import Testing

/// What comes after a shutdown excludes each other, whichever language it comes from.
@Suite struct LateWorkTests {
    @Test func late_calls_of_C_and_Swift_and_late_jobs_exclude_each_other() async throws {
        nonisolated(unsafe) let queue = sq_queue_create("shared", nil)!
        let handle = try #require(swiftHandle(of: queue))
        let visits = Visits()
        try await handle.shutdown()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    let actor = VisitingActor(handle)
                    for _ in 0..<200 { await actor.visit(visits) }
                }
            }
            let threads = (0..<4).map { number in
                TestThread {
                    for _ in 0..<200 {
                        if number % 2 == 0 {
                            handle.syncOrRun { visits.visit() }
                        } else {
                            visits.visitFromC(queue)
                        }
                    }
                }
            }
            for thread in threads { thread.join() }
        }
        #expect(visits.count == 1_400)
        #expect(visits.together == 0)
        sq_queue_release(queue)
    }

    @Test func a_suspended_queue_discards_with_its_last_reference_also_after_an_awaited_shutdown_timed_out() async {
        let releases = Counter()
        for _ in 0..<10 {
            let queue = SerialQueue(label: "left suspended")
            let captured = Captured(releases: releases)
            queue.suspend()
            queue.async { captured.touch() }
            await #expect(throws: SerialQueueError.timedOut) { try await queue.shutdown(within: .milliseconds(1)) }
        }
        await comesTrue { releases.value == 10 }
        await comesTrue { !threadNames().contains("left suspended") }
    }

    private func swiftHandle(of queue: OpaquePointer) -> SerialQueue? {
        let found = Guarded<SerialQueue?>(nil)
        withExtendedLifetime(found) {
            let context = Unmanaged.passUnretained(found).toOpaque()
            _ = sq_sync(queue, { Unmanaged<Guarded<SerialQueue?>>.fromOpaque($0!).takeUnretainedValue().value = .current }, context)
        }
        return found.value
    }
}

/// Unchecked Sendable: accessed by one thread at a time, which is what the test shows; ThreadSanitizer would see two.
private final class Visits: @unchecked Sendable {
    private(set) var count = 0, together = 0
    private var inside = 0

    func visit() {
        if inside != 0 { together += 1 }
        inside += 1
        count += 1
        sched_yield()
        inside -= 1
    }

    func visitFromC(_ queue: OpaquePointer) {
        let visits = Unmanaged.passUnretained(self).toOpaque()
        let status = sq_sync_or_run(queue, { Unmanaged<Visits>.fromOpaque($0!).takeUnretainedValue().visit() }, visits)
        #expect(status == 0)
    }
}

private actor VisitingActor {
    private let queue: SerialQueue
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(_ queue: SerialQueue) {
        self.queue = queue
    }

    func visit(_ visits: Visits) {
        #expect(queue.isCurrent)
        #expect(SerialQueue.current == queue)
        visits.visit()
    }
}
