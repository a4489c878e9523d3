// inversion: priority inversion with DispatchQueue, and with a SerialQueue without and with `helps`.
//
//     taskset -c 0 swift run -c release inversion     three runs on one processor: how long the sync took, and a picture of each
//
// SerialQueue.docc/PriorityInversion.md has the commands that show the runs with a SerialQueue as a timeline.
//
// A queue of the background class has a backlog, a thread computes all the time, and an interactive thread needs the queue: its sync
// waits for the backlog, which a thread runs that gets little of the processor. On Apple's systems the kernel raises that thread.
// Linux does not. With `helps` the waiting thread runs the backlog itself, except for the closure that has begun.

import Dispatch
import SerialQueue

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

guard CommandLine.arguments.count == 1 else {
    print("usage: inversion")
    exit(2)
}

let background = WorkerPool(label: "background", threads: 1, service: .background)
let interactive = SerialQueue(label: "interactive", on: WorkerPool(label: "interactive", threads: 1, service: .interactive))
let computing = Computing()

let gcd = Scene(title: "DispatchQueue(qos: .background)")
let plain = Scene(title: "SerialQueue(on: background)")
let helped = Scene(title: "SerialQueue(on: background, helps: true)")
let runs: [(Scene, any Holder)] = [
    (gcd, DispatchQueue(label: "backlog of GCD", qos: .background)),
    (plain, SerialQueue(label: "backlog", on: background)),
    (helped, SerialQueue(label: "helped backlog", on: background, helps: true)),
]
for (scene, queue) in runs {
    try interactive.runAndWait { scene.play(on: queue) }
}
computing.stop()

let longest = max(gcd.took, plain.took, helped.took)
for scene in [gcd, plain, helped] {
    scene.show(fullScale: longest)
}
print("the sync with helps took \(hundredths(helped.took / gcd.took)) of GCD's time")
let isRight = gcd.byCaller == 0 && plain.byCaller == 0 && helped.byCaller > 0 && !helped.ran[0].byCaller
print(isRight ? "check: the caller ran closures of the backlog with helps only" : "check: not the threads that were promised")
exit(isRight ? 0 : 1)
