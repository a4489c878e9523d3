import CTestSupport
import SerialQueue
import Testing

/// Closures of async callers on a queue of limited capacity: the caller is suspended, no thread is blocked.
@Suite struct SubmitTests {
    let queue = SerialQueue(label: "bounded", capacity: 2)
    let log = Guarded([Int]())
    let releases = Counter()

    /// What waits counts, what runs does not.
    private func fill() -> Holdup {
        let holdup = Holdup { queue.async($0) }
        for number in 1...2 {
            let isAccepted = queue.async { [log] in log.value.append(number) }
            #expect(isAccepted)
        }
        return holdup
    }

    private func body(_ number: Int) -> @Sendable () -> Void {
        let captured = Captured(releases: releases)
        return { [log] in
            captured.touch()
            log.value.append(number)
        }
    }

    /// Starts a caller for each number; when it returns, all of them wait for room: `Task.immediate` returns when its task is suspended,
    /// and nothing suspends a caller before it waits for room.
    private func line(_ numbers: [Int], runs: Bool = false) -> [Task<Void, any Error>] {
        numbers.map { number in
            Task.immediate { [queue, body = body(number)] in
                if runs { try await queue.run { body() } } else { try await queue.submit(body) }
            }
        }
    }

    @Test func submit_returns_at_once_where_there_is_room() async throws {
        let unbounded = SerialQueue(label: "unbounded")
        for queue in [queue, unbounded] {
            let holdup = Holdup { queue.async($0) }
            try await queue.submit(body(1))
            try await queue.submit(body(2))
            #expect(queue.depth == 2)
            holdup.finish()
            await queue.drain()
        }
        #expect(log.value == [1, 2, 1, 2])
        #expect(releases.value == 4)
    }

    @Test func room_goes_to_suspended_callers_in_their_order() async throws {
        let holdup = fill()
        let tasks = line([3, 4]) + line([5], runs: true) + line([6])
        #expect(!queue.async {}, "there is no room")
        #expect(queue.depth == 2)
        holdup.finish()
        for task in tasks { try await task.value }
        await queue.drain()
        #expect(log.value == [1, 2, 3, 4, 5, 6])
        #expect(releases.value == 4)
    }

    @Test func threads_and_tasks_stand_in_one_line() async throws {
        let holdup = fill()
        let first = line([3])
        let began = Counter()
        let thread = TestThread { [queue, body = body(4)] in
            began.increment()
            #expect(throws: Never.self) { try queue.async(waitingUpTo: .seconds(3600), body) }
        }
        await comesTrue { began.value == 1 }
        // The thread may begin to wait for room before or after the next task: all of them get it.
        let last = line([5])
        holdup.finish()
        for task in first + last { try await task.value }
        thread.join()
        await queue.drain()
        #expect(log.value.sorted() == [1, 2, 3, 4, 5])
        #expect(releases.value == 3)
    }

    @Test(arguments: [false, true])
    func a_caller_cancelled_in_the_line_continues_and_releases_at_once(_ runs: Bool) async throws {
        let holdup = fill()
        let tasks = line([3, 4, 5], runs: runs)
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        #expect(releases.value == 1)
        #expect(queue.depth == 2)
        holdup.finish()
        try await tasks[0].value
        try await tasks[2].value
        await queue.drain()
        #expect(log.value == [1, 2, 3, 5])
        #expect(releases.value == 3)
    }

    /// It is accepted: nothing takes it back.
    @Test func a_caller_cancelled_after_it_was_accepted_has_its_closure_run() async throws {
        let holdup = Holdup { queue.async($0) }
        let task = Task { [queue, body = body(1)] in
            try await queue.submit(body)
            withUnsafeCurrentTask { $0!.cancel() }
        }
        try await task.value
        holdup.finish()
        await queue.drain()
        #expect(log.value == [1])
    }

    @Test func a_shutdown_refuses_those_in_the_line() async throws {
        let holdup = fill()
        let tasks = line([3]) + line([4], runs: true)
        #expect(throws: SerialQueueError.timedOut) { try closeNow(queue, .drain) }
        for task in tasks {
            await #expect(throws: SerialQueueError.shutDown) { try await task.value }
        }
        #expect(releases.value == 2)
        holdup.finish()
        try await queue.shutdown()
        #expect(log.value == [1, 2])
    }

    @Test func a_submitted_closure_is_released_when_it_is_discarded() async throws {
        queue.suspend()
        try await queue.submit(body(1))
        try await queue.shutdown(.discard)
        #expect(releases.value == 1)
        #expect(log.value.isEmpty)
    }

    /// A thread would wait for itself here. The caller is suspended, so the queue continues and makes room.
    @Test func an_actor_may_wait_for_room_in_its_own_queue() async throws {
        let store = Store(SerialQueue(label: "narrow", capacity: 1))
        try await store.perform { store in
            for number in 0..<50 { try await store.queue.submit { assumed(store, number) } }
            for number in 50..<100 { try await store.queue.run { assumed(store, number) } }
        }
        #expect(await store.entries == Array(0..<100))
    }

    /// Room is made as the filler's turn comes, and the filler lasts until the caller is back.
    @Test func what_got_room_runs_although_its_caller_has_returned_before_its_turn() async throws {
        let queue = SerialQueue(label: "narrow", capacity: 1)
        let callerIsBack = Gate()
        let holdup = Holdup { queue.async($0) }
        #expect(queue.async { callerIsBack.pass() })
        let task = Task.immediate { [body = body(7)] in
            try await queue.submit(body)
            callerIsBack.open()
        }
        holdup.finish()
        try await task.value
        await queue.drain()
        #expect(log.value == [7])
        #expect(releases.value == 1)
    }

    /// All callers want the same little room, some with a short limit.
    @Test func in_a_storm_every_closure_runs_or_is_withdrawn_and_all_are_released() async {
        let (ran, accepted, givenUp) = (Counter(), Counter(), Counter())
        let count = 2_000
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { [queue, releases] in
                    let captured = Captured(releases: releases)
                    let task = Task {
                        let body: @Sendable () -> Void = {
                            captured.touch()
                            ran.increment()
                        }
                        if number % 2 == 0 { try await queue.run { body() } } else { try await queue.submit(body) }
                    }
                    if number % 3 == 0 {
                        for _ in 0..<(number % 7) { await Task.yield() }
                        task.cancel()
                    }
                    if case .success = await task.result { accepted.increment() } else { givenUp.increment() }
                }
            }
        }
        await queue.drain()
        #expect(accepted.value + givenUp.value == count)
        #expect(ran.value == accepted.value)
        #expect(releases.value == count)
        // All the room is there again.
        let holdup = fill()
        #expect(!queue.async {})
        holdup.finish()
    }
}
