import CTestSupport
import SerialQueue
import Testing

@Suite struct SerialQueueTests {
    @Test func a_queue_has_the_label_it_was_made_with() {
        #expect(SerialQueue().label == "")
        #expect(SerialQueue(label: "com.example.store").label == "com.example.store")
        #expect(SerialQueue(label: "größer 🧵").label == "größer 🧵")
        let long = String(repeating: "x", count: 10_000)
        #expect(SerialQueue(label: long).label == long)
    }

    @Test func the_thread_has_the_stack_that_was_asked_for() {
        let size = 24 << 20  // unlike any default
        let queue = SerialQueue(label: "stack", stackSize: size)
        let found = Guarded(0)
        queue.async { found.value = stack_size_of_this_thread() }
        let stack = queue.sync { found.value }
        #expect(size <= stack && stack < size + 1 << 20)  // and thread-local variables
    }

    @Test func a_queue_used_only_with_sync_has_no_thread() throws {
        let queue = SerialQueue(label: "only sync 1")
        queue.sync {}
        onThreads(4) { _ in
            for _ in 0..<100 { queue.sync {} }
        }
        #expect(!threadNames().contains("only sync 1"))
        // The name is a valid test: a thread has it while it runs tasks of the queue.
        #expect(try queue.runAndWait { threadNames().contains("only sync 1") })
    }

    @Test func the_thread_ends_after_the_last_reference() throws {
        var queue: SerialQueue? = SerialQueue(label: "ends 1")
        #expect(try queue!.runAndWait { threadNames().contains("ends 1") })
        queue = nil
        eventually { !threadNames().contains("ends 1") }
    }

    @Test func the_last_reference_may_go_in_a_task_of_the_queue() {
        let holder = Guarded<SerialQueue?>(SerialQueue(label: "own task"))
        weak let handle = holder.value
        let done = Gate()
        holder.value!.async {
            holder.value = nil
            done.open()
        }
        done.pass()
        #expect(handle == nil)
        eventually { !threadNames().contains("own task") }
    }

    @Test func the_last_reference_may_go_in_a_sync() {
        let holder = Guarded<SerialQueue?>(SerialQueue(label: "own sync"))
        weak let handle = holder.value
        let result = holder.value!.sync {
            holder.value = nil
            return 42
        }
        #expect(result == 42)
        #expect(handle == nil)
    }

    @Test func the_last_reference_may_go_on_another_thread_with_100_pending() {
        let ran = Counter()
        let done = Gate()
        let holder = Guarded<SerialQueue?>(SerialQueue(label: "elsewhere"))
        weak let handle = holder.value
        let holdup = Holdup { holder.value!.async($0) }
        for _ in 0..<100 {
            holder.value!.async { if ran.increment() == 100 { done.open() } }
        }
        TestThread { holder.value = nil }.join()
        #expect(handle == nil, "the pending closures must not keep the handle")
        #expect(ran.value == 0)
        holdup.finish()
        done.pass()
        eventually { !threadNames().contains("elsewhere") }
    }

    @Test func a_queue_is_equal_to_itself_alone() {
        let (one, other) = (SerialQueue(label: "same"), SerialQueue(label: "same"))
        #expect(one == one)
        #expect(one != other)
        #expect(Set([one, other, one]).count == 2)
    }
}
