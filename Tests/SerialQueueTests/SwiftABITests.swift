// Of SwiftABI.swift: the check of debug builds, and its message.

import Testing

@testable import SerialQueue

#if compiler(>=6.3) && compiler(<6.4) && !SERIALQUEUE_PORTABLE

@Suite struct SwiftABITests {
    /// Fails if the words are compared with others ("code + 1" in `sq__swift_is_lent`), or if `owning` retains nothing.
    @Test func this_compiler_passes_closures_as_expected() {
        #expect(SwiftABI.difference == nil)
    }

    @Test func the_message_names_the_compiler_and_the_way_out() {
        let message = SwiftABI.message("the size of a job")
        #expect(message.contains("the size of a job"))
        #expect(message.contains("Swift 6.3 with Clang") || message.contains("Swift 6.3 with Swift Clang"), "\(message)")
        #expect(message.contains("-Xswiftc -DSERIALQUEUE_PORTABLE"))
    }
}

#else

@Suite struct SwiftABITests {
    @Test func this_is_the_portable_form() {
        #expect(!SwiftABI.isUsed)
    }
}

#endif
