import SerialQueue
import Testing

@Suite struct CurrentTests {
    let queue = SerialQueue(label: "current")

    @Test func there_is_no_current_queue_outside_of_any() {
        #expect(SerialQueue.current == nil)
        #expect(!queue.isCurrent)
        queue.sync {}
        #expect(SerialQueue.current == nil, "a sync must clean up behind itself")
    }

    @Test func a_closure_sees_its_queue() {
        #expect(queue.sync { SerialQueue.current } == queue)
        #expect(queue.syncOrRun { SerialQueue.current } == queue)
        let seen = Guarded<SerialQueue?>(nil)
        queue.async { seen.value = SerialQueue.current }
        #expect(queue.sync { seen.value } == queue)
        #expect(queue.sync { SerialQueue.current?.label } == "current")
    }

    @Test func current_is_the_innermost_and_is_current_is_true_for_all() {
        let inner = SerialQueue(label: "inner")
        let stranger = SerialQueue(label: "stranger")
        queue.sync {
            inner.sync {
                #expect(SerialQueue.current == inner)
                #expect(inner.isCurrent)
                #expect(queue.isCurrent)
                #expect(!stranger.isCurrent)
                queue.syncOrRun { #expect(SerialQueue.current == queue) }
                #expect(SerialQueue.current == inner)
            }
            #expect(SerialQueue.current == queue)
            #expect(!inner.isCurrent)
        }
    }

    @Test func other_threads_are_not_on_the_queue() {
        queue.sync {
            TestThread { [queue] in
                #expect(!queue.isCurrent)
                #expect(SerialQueue.current == nil)
            }.join()
        }
    }

    @Test func a_destructor_of_a_capture_sees_the_queue() {
        let seen = Guarded<SerialQueue?>(nil)
        let holdup = Holdup { queue.async($0) }
        do {
            let captured = Captured { seen.value = SerialQueue.current }
            queue.async { captured.touch() }
        }
        holdup.finish()  // From here on the task alone holds the capture.
        #expect(queue.sync { seen.value } == queue)
    }

    @Test func current_works_when_the_handle_is_gone() {
        let label = Guarded("")
        let done = Gate()
        var queue: SerialQueue? = SerialQueue(label: "orphan")
        weak let handle = queue
        let holdup = Holdup { queue!.async($0) }
        queue!.async {
            label.value = SerialQueue.current?.label ?? "none"
            done.open()
        }
        queue = nil
        #expect(handle == nil)
        holdup.finish()
        done.pass()
        #expect(label.value == "orphan")
    }

    @Test func current_can_be_kept_and_used_after_the_handle_is_gone() {
        let kept = Guarded<SerialQueue?>(nil)
        let done = Gate()
        var queue: SerialQueue? = SerialQueue(label: "kept")
        let holdup = Holdup { queue!.async($0) }
        queue!.async {
            kept.value = SerialQueue.current
            done.open()
        }
        queue = nil
        holdup.finish()
        done.pass()
        let ran = Guarded(0)
        #expect(kept.value!.async { ran.value += 1 })
        #expect(kept.value!.sync { ran.value } == 1)
        #expect(kept.value!.label == "kept")
    }

    @Test func precondition_is_current_lets_the_queue_pass() {
        queue.sync { queue.preconditionIsCurrent() }
        queue.sync { SerialQueue(label: "inner").sync { queue.preconditionIsCurrent("nested counts") } }
    }
}
