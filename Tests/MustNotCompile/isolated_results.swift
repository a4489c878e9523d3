// What a type says about values that belong to a queue. The compiler reports these before it looks at regions.
import SerialQueue

final class Box { var number = 0 }
let boxes = QueueIsolated(Box(), on: SerialQueue())
let numbers = BarrierIsolated([1], on: ConcurrentQueue())

func returns_the_value() -> Box {
    boxes.sync { $0 } // error: type 'Box' does not conform to the 'Sendable' protocol
}
func reads_without_the_queue() -> Int {
    boxes.value.number // error: 'value' is inaccessible due to 'internal' protection level
}
func changes_what_it_only_reads() {
    numbers.sync { $0.append(1) } // error: cannot use mutating member on immutable value
}
func lets_several_threads_read_a_box() {
    _ = BarrierIsolated(Box(), on: ConcurrentQueue()) // error: type 'Box' does not conform to the 'Sendable' protocol
}
