// The order of sync and async on one serial queue, replayed and drawn. `order --help` says how to run it.
//
// Each caller does what the tutorials do: 1 and 2 with async, 3 with sync, 4 with async, 5 with sync. First one thread,
// then several at the same time. Examples/c/order is the same in C.
//
// With --puzzles: the tutorials' other question, Puzzle.
//
// Scene plays it, Recorder notes what happens, Timeline draws it, Promises holds it against what a queue promises.

import Foundation

/// Plays a scene, draws it, and checks it.
func show(callerCount: Int) -> Bool {
    let record = Scene(callerCount: callerCount).play()
    write(Timeline(record: record).text + "\n")
    let broken = Promises(record: record).broken
    for sentence in broken { complain("broken promise: " + sentence) }
    guard broken.isEmpty else { return false }
    write("""
           holds each task once, one at a time, in the order of submission;
                 sync on its caller's thread, async on the queue's own

        """)
    return true
}

guard let threads = threadsFromCommandLine(CommandLine.arguments.dropFirst()) else {
    exit(try await showPuzzles(rounds: 200) ? 0 : 1)
}
write("One thread submits 1 and 2 with async, 3 with sync, 4 with async, 5 with sync.\n\n")
guard show(callerCount: 1) else { exit(1) }
write("\n\(threads) threads do the same at the same time.\n\n")
guard show(callerCount: threads) else { exit(1) }
