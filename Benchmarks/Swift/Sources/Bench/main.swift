// main.swift: Bench <contender> <scenario>. One process measures one scenario for one contender; ../../../driver/swift.py
// calls it in alternation. A contender to come adds a line here, a scenario of its own as well: a contender need not
// have every scenario.

import CHarness
import Glibc

let contenders: [String: [String: Scenario]] = [
    SerialQueueContender.name: scenarios(of: SerialQueueContender.self)
        .merging(manyScenarios(of: OurMany.self)) { one, _ in one }
        .merging(concurrentScenarios(of: OurConcurrent.self)) { one, _ in one },
    DispatchQueueContender.name: scenarios(of: DispatchQueueContender.self)
        .merging(manyScenarios(of: DispatchMany.self)) { one, _ in one }
        .merging(concurrentScenarios(of: DispatchConcurrent.self)) { one, _ in one },
    "moved": namesScenarios(of: MovedNames.self),
    "Dispatch": namesScenarios(of: DispatchNames.self),
    "ours": hopScenarios { SerialQueueCounter() }
        .merging(orderedScenarios("fifo", of: FIFOQueueContender.self)) { one, _ in one }
        .merging(orderedScenarios("actor-queue", of: ActorQueueContender.self)) { one, _ in one },
    "by-hand": hopScenarios { DispatchQueueCounter() }
        .merging(orderedScenarios("fifo", of: StreamFIFOContender.self)) { one, _ in one }
        .merging(orderedScenarios("actor-queue", of: StreamActorContender.self)) { one, _ in one },
    "WorkOperationQueue": operationScenarios(of: OurOperations.self),
    "OperationQueue": operationScenarios(of: FoundationOperations.self),
    "task-group": operationScenarios(of: TaskGroupOperations.self),
    "dispatch-groups": operationScenarios(of: DispatchGroupOperations.self),
    "chain": orderedScenarios("fifo", of: ChainContender.self),
    "plain-tasks": hopScenarios { DefaultCounter() }
        .merging(orderedScenarios("actor-queue", of: UnorderedContender.self)) { one, _ in one },
]

/// "async-4" is the scenario "async" and 4; "sync-value" has no number.
func split(_ word: String) -> (name: String, number: Int) {
    guard let dash = word.lastIndex(of: "-"), let number = Int(word[word.index(after: dash)...]) else { return (word, 0) }
    return (String(word[..<dash]), number)
}

guard CommandLine.arguments.count == 3, let own = contenders[CommandLine.arguments[1]] else {
    fatalError("usage: Bench <\(contenders.keys.sorted().joined(separator: "|"))> <scenario>")
}
let (name, number) = split(CommandLine.arguments[2])
bench_begin(strdup(CommandLine.arguments[1]), strdup(CommandLine.arguments[2]))  // C keeps them
if let scenario = own[name] {
    scenario(number)
} else {
    bench_not_applicable("\(CommandLine.arguments[1]) has no such call")
}
bench_end()
