import CTestSupport
import Testing

@testable import SerialQueue

@Suite struct AwaitedCallTests {
    let releases = Counter()

    private func calls() -> [QueuedCall] {
        let (first, second) = (Captured(releases: releases), Captured(releases: releases))
        return [AwaitedCall<Void> { first.touch() }, SubmittedCall { second.touch() }]
    }

    /// C may refuse a call on a thread that withdraws another one, so in a cancellation handler, which runs under a lock of the runtime.
    @Test func a_refused_call_leaves_its_closure_to_its_caller() async {
        do {
            let calls = calls()
            for call in calls {
                call.decided(.shutDown)
                #expect(await call.wait() as? SerialQueueError == .shutDown)
            }
            withExtendedLifetime(calls) { #expect(releases.value == 0) }
        }
        #expect(releases.value == 2)
    }
}
