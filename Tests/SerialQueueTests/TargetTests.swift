import SerialQueue
import Testing

@Suite struct TargetTests {
    let target = SerialQueue(label: "target")

    @Test func queues_of_one_target_exclude_each_other() throws {
        let first = SerialQueue(label: "first", target: target)
        let second = SerialQueue(label: "second")
        second.setTarget(target)
        nonisolated(unsafe) var count = 0  // protected by the target
        let queues = [target, first, second]
        let threads = queues.map { queue in
            TestThread {
                for _ in 0..<500 {
                    queue.async { count += 1 }
                    queue.sync { count += 1 }
                }
            }
        }
        threads.forEach { $0.join() }
        first.sync {}
        second.sync {}
        #expect(target.sync { count } == 3000)
    }

    @Test func a_closure_is_on_its_queue_and_on_the_target() {
        let queue = SerialQueue(label: "queue", target: target)
        let key = QueueKey<String>()
        target.setValue("of the target", for: key)
        #expect(queue.sync { SerialQueue.current == queue && queue.isCurrent && target.isCurrent })
        let seen = Guarded<(Bool, String?)>((false, nil))
        queue.async { [target] in seen.value = (queue.isCurrent && target.isCurrent, key.current) }
        queue.sync {}
        #expect(seen.value == (true, "of the target"))
    }

    @Test func a_suspended_target_holds_its_queues() throws {
        let queue = SerialQueue(label: "queue", target: target)
        target.suspend()
        #expect(throws: SerialQueueError.timedOut) { try queue.sync(within: .milliseconds(1)) {} }
        target.resume()
        queue.sync {}
    }

    @Test func a_sync_from_the_target_is_a_deadlock() {
        let queue = SerialQueue(label: "queue", target: target)
        target.sync {
            #expect(throws: (any Error).self) { try queue.sync(within: .seconds(60)) {} }
        }
    }
}
