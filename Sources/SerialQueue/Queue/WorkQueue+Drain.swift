import CSerialQueue
import CSerialQueue.Private
import CSerialQueueSwiftCall

extension Completion<CInt> {
    /// Sets the outcome to 0 when everything submitted before has ended. Returns C's status; if that is not 0, there will be no
    /// outcome.
    fileprivate func follow(_ queue: OpaquePointer) -> CInt {
        let retained = Unmanaged.passRetained(self)
        // A barrier: on a concurrent queue earlier closures may still run when a job begins.
        let status = sq_async_barrier_job(
            queue, { completion, _, _ in Unmanaged<Completion<CInt>>.fromOpaque(completion!).takeRetainedValue().complete(0) },
            retained.toOpaque(), nil)
        if status != 0 { retained.release() }
        return status
    }
}

extension WorkQueue {
    /// Suspends the caller until everything submitted before has ended and its captures have been released.
    ///
    /// Of an actor's tasks, this includes the jobs enqueued so far: a task that is suspended does not delay it. Closures that still
    /// wait for room do not delay it either. If the queue is being shut down, this waits for the end of the shutdown.
    ///
    /// Don't call this from code that the queue waits for. It does not return while the queue is suspended, and cannot be cancelled:
    /// ``drain(within:)`` can be left.
    ///
    /// - Precondition: There is memory, the queue's thread can be started, and the queue is not from before a `fork`. Otherwise
    ///   the program traps, with a message that names the queue.
    public nonisolated(nonsending) func drain() async {
        let completion = Completion<CInt>()
        var status = completion.follow(queue)
        if status == 0 { status = await completion.wait() }
        if status == SQ_SWIFT_ESHUTDOWN { status = await end(of: .drain, within: nil) }
        if status != 0 { drainRefused(status) }
    }

    /// As ``drain()``, with a time limit, and for callers that can be cancelled.
    ///
    /// A caller that leaves early changes nothing: what was submitted runs as before, and the queue keeps nothing for the caller but an
    /// empty slot, 32 bytes, until its turn.
    ///
    /// ```swift
    /// let queue = SerialQueue(label: "com.example.log")
    /// queue.async { print("written") }
    /// try await queue.drain(within: .seconds(10))
    /// ```
    ///
    /// - Parameter limit: How long to wait, on the real clock, also on a ``ManualPool``; `nil`: without limit. Zero is too short for an idle
    ///   queue, too, because its thread ends the wait.
    /// - Throws: `CancellationError`, at once, if the caller is cancelled; or a ``SerialQueueError``: `timedOut`; `noResources`;
    ///   `fromBeforeFork`.
    public nonisolated(nonsending) func drain(within limit: Duration?) async throws {
        try Task.checkCancellation()
        let last = WorkItem(label: "drain", isBarrier: true) {}
        // A delay of zero: it is submitted at once, and needs no room.
        let call = sq__item_call_t(group: nil, is_delayed: true, delay: 0, site: nil)
        let status = withUnsafePointer(to: call) { sq__item_submit(last.item, queue, $0) }
        if status == 0 { return try await last.awaitEnd(within: limit) }
        guard status == SQ_SWIFT_ESHUTDOWN else { throw SerialQueueError(status: status) }
        try await AwaitedEnd.wait(.ofQueue, queue, keeping: self, within: limit)
    }

    /// Accepts no more closures, and suspends the caller until the last one has ended. Blocks no thread.
    ///
    /// May also be called from an actor on this queue: its jobs continue after the queue's end, see ``SerialQueue/enqueue(_:)``. The queue
    /// accepts nothing more once the call is suspended. The wait cannot be cancelled; use `limit`.
    ///
    /// In the top-level code of `main.swift` Swift 6.3.1 takes the `shutdown` that blocks, as in synchronous code, and refuses it if that code
    /// awaits anything. Call this in a function.
    ///
    /// - Parameters:
    ///   - mode: Whether waiting closures run or are discarded.
    ///   - limit: How long to wait, on the real clock, also on a ``ManualPool``; `nil`: without limit.
    /// - Throws: `timedOut`: the shutdown continues in the background. `noResources`: nothing was done, or there was no memory for the
    ///   wait and the shutdown continues in the background. `fromBeforeFork`: nothing was done.
    public nonisolated(nonsending) func shutdown(
        _ mode: ShutdownMode = .drain,
        within limit: Duration? = nil
    ) async throws(SerialQueueError) {
        let status = await end(of: mode, within: limit)
        if status != 0 { throw SerialQueueError(status: status) }
    }

    /// Shuts the queue down and waits for its end. Returns C's status, but never EDEADLK.
    private nonisolated(nonsending) func end(of mode: ShutdownMode, within limit: Duration?) async -> CInt {
        let status = sq_shutdown(queue, mode == .drain ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, 0)
        // EDEADLK: the caller is on this queue. That is legal here, because the caller will be suspended.
        guard status == SQ_SWIFT_ETIMEDOUT || status == SQ_SWIFT_EDEADLK else { return status }
        if let limit, limit <= .zero { return CInt(SQ_SWIFT_ETIMEDOUT) }
        return await AwaitedEnd.waitUncancelled(.ofQueue, queue, keeping: self, within: limit)
    }
}
