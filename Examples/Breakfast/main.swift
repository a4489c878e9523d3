// Operations with dependencies: a breakfast for two cooks. Examples/README.md says what it prints.
//
// The eggs are burnt, so what needs them does not run; the table is laid all the same. Then two mistakes that hang other programs:
// a cycle of operations, and an operation that waits for one that cannot start before its end.

import SerialQueue
import SerialQueueOperations

struct Burnt: Error {}

/// Two operations at a time.
let kitchen = WorkOperationQueue(label: "kitchen", width: 2)

let water = kitchen.add("boil water") { 2 }
let bread = kitchen.add("cut bread") { 4 }
let tea = kitchen.add("make tea", after: water, priority: .high) { cups async in
    await Task.yield()  // it draws; the cook watches it
    return "\(cups) cups of tea"
}
let eggs = kitchen.add("fry eggs", after: water) { (cups) throws -> Int in throw Burnt() }
let toast = kitchen.add("toast", after: bread) { slices in "\(slices) slices of toast" }
let omelette = kitchen.add("omelette", after: eggs, bread) { eggs, slices in "an omelette with \(eggs) eggs" }
let table = kitchen.add("lay the table", after: tea, toast, omelette, runs: .evenAfterFailure) { tea, toast, omelette in
    [tea, toast, omelette].map { dish in
        switch dish {
        case .success(let dish): dish
        case .failure(let error): "nothing (\(error))"
        }
    }
}
for dish in try await table.value { print("on the table: \(dish)") }
await kitchen.drain()
print("operations:   \(kitchen.progress.finished) of \(kitchen.progress.total)")

let butter = WorkOperation("butter") { "butter" }
let knife = WorkOperation("knife") { "knife" }
try butter.add(dependency: knife)
do {
    try knife.add(dependency: butter)
} catch {
    print("refused:      \(error)")
}

let cook = WorkOperationQueue(label: "cook", width: 1)
let stir = cook.add("stir") {
    let salt = cook.add("salt") { "salt" }
    do {
        return try salt.wait()
    } catch SerialQueueError.deadlock(let report) {
        return report
    }
}
print("refused:      \(try await stir.value)")
