import SerialQueue
import Testing

/// Calls of a queue as values: their parameters must have no defaults that hide the types, such as `file:` and `line:`.
@Suite struct StoredCallTests {
    typealias Body = () -> Void

    let pool = ManualPool(), queue: ConcurrentQueue, ran = Counter()

    init() {
        queue = ConcurrentQueue(label: "stored", on: pool)
    }

    @Test func calls_are_stored_and_called_later() throws {
        let async: (consuming sending @escaping Body) -> Bool = queue.async
        let barrier: (consuming sending @escaping Body) -> Bool = queue.asyncBarrier
        let after: (Duration, consuming sending @escaping Body) -> Bool = queue.asyncAfter
        let member: (WorkGroup, consuming sending @escaping Body) -> Bool = queue.async(in:_:)
        let item: (WorkItem) -> Bool = queue.async
        let timer: (consuming sending @escaping Body) -> WorkQueue.Timer = queue.makeTimer
        let ran = ran
        let accepted = [
            async { ran.increment() }, barrier { ran.increment() }, after(.seconds(1)) { ran.increment() },
            member(WorkGroup()) { ran.increment() }, item(WorkItem { ran.increment() }),
        ]
        #expect(accepted.allSatisfy { $0 })
        pool.advance(by: .seconds(1))
        #expect(ran.value == 5)
        timer { ran.increment() }.start(after: .zero)  // and released: it does not fire
        pool.run()
        #expect(ran.value == 5)
    }

    /// Of one queue after the other, from one array.
    @Test func calls_of_many_queues_stand_in_an_array() {
        let calls: [(consuming sending @escaping Body) -> Bool] = [
            queue.async, queue.asyncBarrier, SerialQueue(label: "other", on: pool).async,
        ]
        for call in calls {
            let accepted = call { [ran] in ran.increment() }
            #expect(accepted)
        }
        pool.run()
        #expect(ran.value == 3)
    }

    /// Code that takes where to run something as a function needs no protocol.
    @Test func a_call_is_passed_to_a_function() {
        func twice(_ submit: (consuming sending @escaping Body) -> Bool) {
            for _ in 1...2 {
                let accepted = submit { [ran] in ran.increment() }
                #expect(accepted)
            }
        }
        twice(queue.async)
        twice { queue.asyncAfter(.zero, $0) }
        pool.run()
        #expect(ran.value == 4)
    }
}
