import Testing

@testable import SerialQueue

/// A closure on its way through C has three ways to end; each releases what it captured, once.
@Suite struct EscapingClosureTests {
    let releases = Counter()
    let runs = Counter()
    let queue = SerialQueue(label: "boxing")

    @discardableResult
    private func submit() -> Bool {
        let captured = Captured(releases: releases)
        return queue.async { [runs] in
            captured.touch()
            runs.increment()
        }
    }

    @Test func run_calls_and_releases_the_closure() {
        submit()
        queue.sync {}
        #expect(runs.value == 1)
        #expect(releases.value == 1)
    }

    @Test func discard_releases_the_closure_without_a_call() throws {
        queue.suspend()
        submit()
        #expect(releases.value == 0)
        try queue.shutdown(.discard)
        #expect(runs.value == 0)
        #expect(releases.value == 1)
    }

    @Test func refusal_releases_the_closure_without_a_call() throws {
        try queue.shutdown()
        #expect(!submit())
        #expect(runs.value == 0)
        #expect(releases.value == 1)
    }

    @Test func a_closure_without_captures_has_no_context_to_release() {
        queue.async {}
        queue.sync {}
        #expect(queue.statistics.ran == 2)
    }
}
