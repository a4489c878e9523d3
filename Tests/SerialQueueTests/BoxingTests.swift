import CSerialQueue
import Testing

@testable import SerialQueue

/// A boxed closure has three ways to end. The core takes the first two; `discard` has no public way to it yet.
@Suite struct BoxingTests {
    let releases = Counter()
    let runs = Counter()

    private func makeTask() -> sq_task_t {
        let captured = Captured(releases: releases)
        return TaskBox.task { [runs] in
            captured.touch()
            runs.increment()
        }
    }

    @Test func run_calls_and_releases_the_closure() {
        let task = makeTask()
        #expect(releases.value == 0)
        task.run(task.context)
        #expect(runs.value == 1)
        #expect(releases.value == 1)
    }

    @Test func discard_releases_the_closure_without_a_call() {
        let task = makeTask()
        task.discard!(task.context)
        #expect(runs.value == 0)
        #expect(releases.value == 1)
    }

    @Test func take_back_releases_the_closure_without_a_call() {
        TaskBox.takeBack(makeTask())
        #expect(runs.value == 0)
        #expect(releases.value == 1)
    }
}
