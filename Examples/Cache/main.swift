// A read-mostly cache that several threads share, guarded in three ways: by a ConcurrentQueue (reads together, a barrier for each
// insertion), by a SerialQueue, and by a pthread_rwlock. `cache --help` says how to run it. Examples/c/cache.c is the same in C.

import Foundation
import SerialQueue

let options = Options(CommandLine.arguments.dropFirst())
write("threads   \(options.threads), \(options.reads) reads each, of \(Load.keys) pages; the cache holds \(Load.capacity)\n")

let together = BarrierIsolated(Pages(), on: ConcurrentQueue(label: "com.example.cache"))
let serial = QueueIsolated(Pages(), on: SerialQueue(label: "com.example.cache"))
let locked = LockedPages()

var isRight = show("ConcurrentQueue", Guarded(read: { together.sync($0) }, change: { together.syncBarrier($0) }))
isRight = show("SerialQueue", Guarded(read: { read in serial.sync { read($0) } }, change: { change in serial.sync { change(&$0) } })) && isRight
isRight = show("pthread_rwlock", Guarded(read: { locked.read($0) }, change: { locked.change($0) })) && isRight
guard isRight else { die("a thread read a wrong page, or a cache holds too many", status: 1) }
write("check     every read found its own page, and no cache held more than it may\n")

/// Puts the load on a cache, and prints a line about it.
func show(_ name: String, _ pages: Guarded) -> Bool {
    let load = Load(pages, options)
    let duration = ContinuousClock().measure { load.run() }
    let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    let reads = Double(options.threads * options.reads)
    let hits = 100 * (1 - Double(load.misses) / reads)
    write(
        name.padding(toLength: 16, withPad: " ", startingAt: 0)
            + String(format: "%7.2f million reads/s, %4.1f %% hits, %ld insertions\n", reads / seconds / 1e6, hits, load.insertions))
    return load.isRight
}
