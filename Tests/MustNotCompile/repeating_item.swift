// An item that repeats may run twice at the same time: its closure has to be Sendable.
import SerialQueue

final class Box { var number = 0 }

func makes_items_that_repeat() -> [WorkItem] {
    let box = Box(), other = Box()
    return [
        WorkItem(repeats: true) { box.number += 1 }, // error: capture of 'box' with non-Sendable type 'Box' in a '@Sendable' closure
        WorkItem(repeats: true) { _ in other.number += 1 }, // error: capture of 'other' with non-Sendable type 'Box' in a '@Sendable' closure
    ]
}

@MainActor func count() {}
@MainActor func makes_an_item_of_an_actors_function() -> WorkItem {
    WorkItem(repeats: true, count) // error: loses global actor 'MainActor'
}
