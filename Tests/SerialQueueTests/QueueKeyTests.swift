import SerialQueue
import Testing

@Suite struct QueueKeyTests {
    let queue = SerialQueue(label: "values")
    let key = QueueKey<String>()

    @Test func a_queue_has_a_value_for_each_key() {
        let number = QueueKey<Int>()
        #expect(queue.value(for: key) == nil)
        queue.setValue("one", for: key)
        queue.setValue(1, for: number)
        #expect(queue.value(for: key) == "one")
        #expect(queue.value(for: number) == 1)
        queue.setValue(nil, for: key)
        #expect(queue.value(for: key) == nil)
        #expect(queue.value(for: number) == 1)
        #expect(SerialQueue(label: "another").value(for: number) == nil)
    }

    @Test func the_current_value_is_that_of_the_innermost_queue_that_has_one() {
        let inner = ConcurrentQueue(label: "inner")
        queue.setValue("outer", for: key)
        #expect(key.current == nil)
        #expect(queue.sync { key.current } == "outer")
        #expect(queue.sync { inner.sync { key.current } } == "outer")
        inner.setValue("inner", for: key)
        #expect(queue.sync { inner.sync { key.current } } == "inner")
        let seen = Guarded<String?>(nil)
        queue.async { [key] in seen.value = key.current }
        #expect(queue.sync { seen.value } == "outer")
    }

    @Test func a_destructor_of_a_capture_sees_the_value() {
        let seen = Guarded<[String?]>([])
        queue.setValue("here", for: key)
        let holdup = Holdup { queue.async($0) }
        do {
            let run = Captured { [key] in seen.value.append(key.current) }
            queue.async { run.touch() }
            let grouped = Captured { [key] in seen.value.append(key.current) }
            queue.async(in: WorkGroup()) { grouped.touch() }
        }
        holdup.finish()
        queue.sync {}
        #expect(seen.value == ["here", "here"])
    }

    @Test func a_destructor_of_a_discarded_capture_sees_the_value() throws {
        let seen = Guarded<String?>(nil)
        queue.setValue("here", for: key)
        queue.suspend()
        do {
            let captured = Captured { [key] in seen.value = key.current }
            queue.async { captured.touch() }
        }
        try queue.shutdown(.discard)
        #expect(seen.value == "here")
    }

    @Test func a_value_is_released_when_it_is_replaced_and_with_its_queue() {
        final class Witness: Sendable {
            let gone: Guarded<Int>
            init(_ gone: Guarded<Int>) { self.gone = gone }
            deinit { gone.value += 1 }
        }
        let gone = Guarded(0)
        let key = QueueKey<Witness>()
        do {
            let queue = SerialQueue(label: "short")
            queue.setValue(Witness(gone), for: key)
            queue.setValue(Witness(gone), for: key)
            #expect(gone.value == 1)
        }
        #expect(gone.value == 2)
    }
}
