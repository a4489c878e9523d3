// What a synchronous function sends to an actor, and in which order it arrives. `ordered --help` says how to run it.
//
// Scenes first: the same tasks on a FIFOQueue and on an ActorQueue. Then a count: of so many rounds, in how many did a
// thousand numbers arrive in order, sent by plain tasks and by each of the queues?

import Foundation
import SerialQueue
import SerialQueueOrdered

let options = Options(CommandLine.arguments.dropFirst())

show("Three tasks, of which each suspends once; which begins and ends when?\n")
show("  FIFOQueue    \(await fifoScene())")
show("  ActorQueue   \(await actorScene())\n")

show("A synchronous function sends 1 to \(options.numbers) to an actor. In how many of \(options.rounds) rounds do they arrive in order?\n")
var failed = false
for sender in Sender.allCases {
    var inOrder = 0
    for _ in 0..<options.rounds {
        let list = List()
        await sender.send(options.numbers, to: list)
        if await list.numbers == Array(1...options.numbers) { inOrder += 1 }
    }
    show("  " + sender.name.padding(toLength: 13, withPad: " ", startingAt: 0) + "\(inOrder)")
    failed = failed || (sender != .plainTask && inOrder != options.rounds)
}
if failed { die("a queue did not keep the order", status: 1) }
show("\n  check        each queue kept the order in every round")
