// A chat server's state: every room has a queue of its own, and all queues share one pool of threads. `chatrooms --help` says
// how to run it, Examples/README.md what it prints.
//
//     author 0 ─┐ async                      ┌─► room 0's queue ─┐
//     author 1 ─┼────────► the room that ────┼─► room 1's queue ─┼─► WorkerPool.shared
//     author 2 ─┘          the message names └─► ...             ─┘
//
// A room's members are guarded by nothing but its queue. At the end the totals of all rooms are compared with what was sent.

import Foundation
import SerialQueue

/// Prints a line at once, into a pipe too: a line for each thing that takes a while.
func show(_ name: String, _ text: String) {
    print(name.padding(toLength: 10, withPad: " ", startingAt: 0) + text)
    fflush(nil)
}

let options = Options(CommandLine.arguments.dropFirst())
let lines = options.lines()
let server = Server(rooms: options.rooms)
show("rooms", "\(options.rooms), each with its own queue; \(server.bytesPerRoom) bytes a room when all are idle")

// Idle rooms: the memory of a room without messages so far.
let empty = Footprint.now
let begin = ContinuousClock.now
let sent = server.speak(lines, messages: options.messages, authors: options.authors)
let spoken = ContinuousClock.now
show("messages", "\(sent.messages) of \(sent.bytes) bytes by \(options.authors) authors, from \(lines.count) lines")
show("sent", "in \(seconds(spoken - begin)) s")
let heard = server.totals()  // after everything that was sent: one sync per room
let done = ContinuousClock.now
let full = Footprint.now
show("received", "in \(seconds(done - begin)) s, \(server.perSecond(sent.messages, in: done - begin)) messages/s")
show("busiest", "room \(heard.busiest.room): \(heard.busiest.messages) messages")
show("threads", "\(full.threads) at the end, \(options.authors) of them authors")
show("memory", "\(empty.resident) MiB with all rooms, \(full.peak) MiB at most")
guard heard.messages == sent.messages, heard.bytes == sent.bytes else {
    fail("the rooms received \(heard.messages) messages of \(heard.bytes) bytes")
}
guard heard.outOfOrder == 0 else { fail("\(heard.outOfOrder) messages came before an earlier one of their author") }
show("check", "every message was received once, and each author's in order")
