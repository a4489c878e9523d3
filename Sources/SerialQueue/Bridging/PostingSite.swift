// PostingSite.swift: where a closure is submitted from.

import CSerialQueue
import CSerialQueueSwiftCall

/// Notes where this thread's next submission to the queue comes from, if the queue is traced or watched.
///
/// The callers' default arguments are constants, so a program that neither traces nor watches pays for loading them and for one
/// comparison.
@inline(__always)
func noteSite(of queue: OpaquePointer, _ file: StaticString, _ line: UInt) {
    if sq_swift_wants_sites() { noteWantedSite(of: queue, file, line) }
}

/// A trace shows the closures, not what calls them. Done when a trace or watcher first wants to know where something comes from.
private let showsClosures: Void = {
    sq_swift_show_closures(DelayedClosure.run)
    sq_swift_show_closures(ItemClosure.run)
}()

@inline(never)
private func noteWantedSite(of queue: OpaquePointer, _ file: StaticString, _ line: UInt) {
    // A literal's text lasts as long as the program, and ends with a zero.
    guard file.hasPointerRepresentation else { return }
    _ = showsClosures
    sq_swift_note_site(queue, file.utf8Start, UInt32(clamping: line))
}
