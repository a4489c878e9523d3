import CSerialQueue
import CSerialQueueSwiftCall

extension SerialQueue {
    /// Suspends the caller until everything that was submitted before has ended, and its captures have been released.
    ///
    /// Of an actor's task that is its jobs before: one that is suspended in the middle does not hold it up. Nor do closures
    /// that still wait for room. Of a queue that is being shut down it awaits the end.
    ///
    /// Not from what the queue waits for. While the queue is suspended it does not return, and it is not cancelled.
    ///
    /// - Precondition: As for an actor's job: there is memory for a place, and the queue's thread can be started.
    public func drain(isolation: isolated (any Actor)? = #isolation) async {
        let news = News<CInt>()
        var status = news.follow(queue)
        if status == 0 { status = await news.wait(isolation: isolation) }
        if status == SQ_SWIFT_ESHUTDOWN { status = await end(of: .drain, by: .max) }
        if status != 0 { drainRefused(status) }
    }

    /// As ``shutdown(_:within:)-(ShutdownMode,_)``, but suspends the caller while it waits: no thread of Swift's is blocked.
    ///
    /// May be called from an actor on this queue, too: its jobs go on after the queue's end, see ``enqueue(_:)``.
    ///
    /// The closing has happened when the call is suspended. Waiting is not cancelled; use `limit`.
    ///
    /// - Parameters:
    ///   - mode: What becomes of closures that wait.
    ///   - limit: For how long to wait; `nil`: without limit.
    ///   - isolation: The caller's, which it keeps.
    /// - Throws: `timedOut`: the shutdown goes on without the caller. `noResources`: the same, as no thread could be started
    ///   to wait, or nothing was done. `fromBeforeFork`: nothing was done.
    public func shutdown(
        _ mode: ShutdownMode = .drain,
        within limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(SerialQueueError) {
        let status = await end(of: mode, by: deadline(limit))
        if status != 0 { throw SerialQueueError(status: status) }
    }

    /// Shuts the queue down and waits for its end. Returns C's status, but never EDEADLK.
    private func end(
        of mode: ShutdownMode,
        by deadline: sq_time_t,
        isolation: isolated (any Actor)? = #isolation
    ) async -> CInt {
        let status = sq_shutdown(queue, mode == .drain ? SQ_DRAIN : SQ_DISCARD, 0)
        // EDEADLK: the caller is on this queue, which is no obstacle: it will be suspended.
        guard status == SQ_SWIFT_ETIMEDOUT || status == SQ_SWIFT_EDEADLK else { return status }
        // A thread of its own waits: there is nothing in the queue that could tell of its end.
        let waiter = SerialQueue(label: label)
        let news = News<CInt>()
        let accepted = waiter.async { [self] in news.tell(sq_shutdown(queue, SQ_DRAIN, deadline)) }
        return accepted ? await news.wait(isolation: isolation) : CInt(SQ_SWIFT_EAGAIN)
    }
}
