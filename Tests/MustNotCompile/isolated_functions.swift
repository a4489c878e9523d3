// A function of a global actor, by name or in a variable, would run without its actor.
import SerialQueue
import SerialQueueOperations

@globalActor actor Storage {
    static let shared = Storage()
}

@MainActor final class Model {
    let queue = SerialQueue(), concurrent = ConcurrentQueue(), group = WorkGroup(), operations = WorkOperationQueue()
    var number = 0
    func count() { number += 1 }
    func take(_ item: WorkItem) { number += 1 }
    func add(_ index: Int) { number += index }

    func submits() {
        queue.async(count) // error: ambiguous use of 'async'
    }
    func submits_a_variable() {
        let body: @MainActor () -> Void = { self.number += 1 }
        queue.async(body) // error: ambiguous use of 'async'
    }
    func submits_a_parameter(_ body: @escaping @MainActor () -> Void) {
        queue.async(body) // error: ambiguous use of 'async'
    }
    func submits_a_local_function() {
        func local() { number += 1 }
        queue.async(local) // error: ambiguous use of 'async'
    }
    func submits_what_is_isolated_in_its_own_words() {
        queue.async { @MainActor in self.number += 1 } // error: ambiguous use of 'async'
    }
    func submits_a_member() {
        queue.async(in: group, count) // error: ambiguous use of 'async(in:_:)'
    }
    func submits_for_later() {
        queue.asyncAfter(.zero, count) // error: ambiguous use of 'asyncAfter'
    }
    func submits_within() throws {
        try queue.async(waitingUpTo: .zero, count) // error: ambiguous use of 'async(waitingUpTo:_:)'
    }
    func submits_suspended() async throws {
        try await queue.submit(count) // error: ambiguous use of 'submit'
    }
    func submits_a_barrier() {
        concurrent.asyncBarrier(count) // error: ambiguous use of 'asyncBarrier'
    }
    func submits_a_barrier_in_a_group() {
        concurrent.asyncBarrier(in: group, count) // error: ambiguous use of 'asyncBarrier(in:_:)'
    }
    func submits_a_barrier_for_later() {
        concurrent.asyncBarrierAfter(.zero, count) // error: ambiguous use of 'asyncBarrierAfter'
    }
    func makes_a_timer() -> SerialQueue.Timer {
        queue.makeTimer(every: .seconds(1), count) // error: ambiguous use of 'makeTimer(every:leeway:_:)'
    }
    func makes_a_timer_that_is_not_started() -> SerialQueue.Timer {
        queue.makeTimer(count) // error: ambiguous use of 'makeTimer'
    }
    func ends_a_timer(_ timer: SerialQueue.Timer) {
        timer.cancel(then: count) // error: ambiguous use of 'cancel(then:)'
    }
    func makes_an_item() -> WorkItem {
        WorkItem(count) // error: ambiguous use of 'init(label:isBarrier:_:)'
    }
    func makes_an_item_with_itself() -> WorkItem {
        WorkItem(take) // error: ambiguous use of 'init(label:isBarrier:_:)'
    }
    func is_notified() {
        group.notify(on: queue, count) // error: ambiguous use of 'notify(on:_:)'
    }
    func is_notified_of_an_item(_ item: WorkItem) {
        item.notify(on: queue, count) // error: ambiguous use of 'notify(on:_:)'
    }
    // The closures of these are `@Sendable`, or have a result that is `sending`.
    func runs() async throws {
        try await queue.run(count) // error: risks causing data races
    }
    func runs_where_the_turn_is() throws {
        try queue.asyncAndWait(count) // error: loses global actor 'MainActor'
    }
    func applies() {
        WorkerPool.shared.apply(2, add) // error: loses global actor 'MainActor'
    }
    func adds_an_operation() {
        operations.add("count", count) // error: loses global actor 'MainActor'
    }
}

@Storage final class Shelf {
    let queue = SerialQueue()
    var number = 0
    func count() { number += 1 }

    func submits() {
        queue.async(count) // error: ambiguous use of 'async'
    }
    func submits_a_function_of_its_type() {
        queue.async(Self.work) // error: ambiguous use of 'async'
    }
    static func work() {}
}
