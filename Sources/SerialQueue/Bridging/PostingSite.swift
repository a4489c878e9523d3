// PostingSite.swift: where a closure is submitted from.

import CSerialQueueSwiftCall

/// Notes where this thread's next submission comes from, if a trace is under way.
///
/// The callers' default arguments are constants, so a program that is not traced pays for loading them and for one comparison.
@inline(__always)
func noteSite(_ file: StaticString, _ line: UInt) {
    if sq_swift_is_traced() { noteTracedSite(file, line) }
}

@inline(never)
private func noteTracedSite(_ file: StaticString, _ line: UInt) {
    // A literal's text lasts as long as the program, and ends with a zero.
    guard file.hasPointerRepresentation else { return }
    sq_swift_note_site(file.utf8Start, UInt32(clamping: line))
}
