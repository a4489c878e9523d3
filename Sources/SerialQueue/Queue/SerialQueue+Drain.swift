import CSerialQueue
import CSerialQueueSwiftCall
import Synchronization

extension SerialQueue {
    /// Suspends the caller until everything that was submitted before has ended, and its captures have been released.
    ///
    /// For an actor's task that means its jobs so far: a task that is suspended halfway does not delay it. Nor do closures that still
    /// wait for room. If the queue is being shut down, it awaits the end.
    ///
    /// Don't call it from code that the queue waits for. It does not return while the queue is suspended, and cannot be cancelled.
    ///
    /// - Precondition: As for an actor's job: there is memory for it, and the queue's thread can be started.
    public nonisolated(nonsending) func drain() async {
        let completion = Completion<CInt>()
        var status = completion.follow(queue)
        if status == 0 { status = await completion.wait() }
        if status == SQ_SWIFT_ESHUTDOWN { status = await end(of: .drain, within: nil) }
        if status != 0 { drainRefused(status) }
    }

    /// As `shutdown`, but suspends the caller while it waits, without blocking a thread.
    ///
    /// May be called from an actor on this queue, too: its jobs continue after the queue's end, see ``enqueue(_:)``.
    ///
    /// The queue accepts nothing more once the call is suspended. The wait cannot be cancelled; use `limit`.
    ///
    /// - Parameters:
    ///   - mode: What becomes of closures that wait.
    ///   - limit: How long to wait; `nil`: without limit.
    /// - Throws: `timedOut`: the shutdown continues in the background. `noResources`: the same, as no thread could be started
    ///   to wait, or nothing was done. `fromBeforeFork`: nothing was done.
    public nonisolated(nonsending) func shutdown(
        _ mode: ShutdownMode = .drain,
        within limit: Duration? = nil
    ) async throws(SerialQueueError) {
        let status = await end(of: mode, within: limit)
        if status != 0 { throw SerialQueueError(status: status) }
    }

    /// Shuts the queue down and waits for its end. Returns C's status, but never EDEADLK.
    private nonisolated(nonsending) func end(of mode: ShutdownMode, within limit: Duration?) async -> CInt {
        var status = sq_shutdown(queue, mode == .drain ? SQ_SHUTDOWN_DRAIN : SQ_SHUTDOWN_DISCARD, 0)
        // EDEADLK: the caller is on this queue, which is no obstacle: it will be suspended.
        guard status == SQ_SWIFT_ETIMEDOUT || status == SQ_SWIFT_EDEADLK else { return status }
        if let limit, limit <= .zero { return CInt(SQ_SWIFT_ETIMEDOUT) }
        let end = EndCompletion()
        status = AfterShutdown.follow(self) { end.tellOnce(0) }  // one thread for all that wait
        if status != 0 { return status }
        let timer = limit.map { EndCompletion.timeouts.makeTimer(every: $0) { end.tellOnce(CInt(SQ_SWIFT_ETIMEDOUT)) } }
        status = await end.wait()
        timer?.cancel()
        return status
    }
}

/// The end of a queue, or of the time limit, whichever comes first.
///
/// Unchecked Sendable: adds an atomic.
private final class EndCompletion: Completion<CInt>, @unchecked Sendable {
    /// Time limits use the real clock, also if the queue is on a ``ManualPool``.
    static let timeouts = SerialQueue(label: "timeouts", on: .shared)

    private let isTold = Atomic(false)

    func tellOnce(_ status: CInt) {
        if !isTold.exchange(true, ordering: .relaxed) { tell(status) }
    }
}
