import CSerialQueue
import CSerialQueue.Private
import CSerialQueueSwiftCall
import Synchronization

extension WorkQueue {
    /// Makes a timer that runs `body` on the queue every `interval`, first in one `interval` from now.
    ///
    /// On a ``ConcurrentQueue`` a firing runs at the same time as other closures that are not barriers, but not as another firing.
    ///
    /// A firing that becomes due while the previous one still waits or runs is skipped. If the previous one was running, one more
    /// firing follows it immediately. ``Timer/intervals`` is the number of intervals that a firing covers. No firing comes early. On a
    /// ``ManualPool`` the timer uses the pool's clock. On a queue that has been shut down it never fires.
    ///
    /// ```swift
    /// let queue = SerialQueue(label: "com.example.heartbeat")
    /// let timer = queue.makeTimer(every: .seconds(1), leeway: .milliseconds(100)) { print("alive") }
    /// timer.cancel()
    /// ```
    ///
    /// - Parameters:
    ///   - interval: The time from one firing to the next.
    ///   - leeway: How late a firing may be if that saves the processor a wake-up.
    ///   - body: Runs on the queue in its turn. Released when the timer is cancelled, or its queue has been shut down.
    ///     Don't pass an actor's method by name: <doc:FunctionsOfActors>.
    /// - Precondition: `interval` is positive, there are memory and a thread for the timer, and the queue is not from before a
    ///   `fork`. Otherwise the program traps, with a message that names the queue.
    /// - Returns: The timer. Releasing it cancels it.
    @inline(never)
    public func makeTimer(
        every interval: Duration,
        leeway: Duration = .zero,
        _ body: consuming sending @escaping () -> Void
    ) -> Timer {
        makeTimer(every: interval, leeway: leeway, consume body, from: sq_swift_caller())
    }

    /// Makes a timer that does not fire before it is started: once or periodically, after a delay or at a time.
    ///
    /// ```swift
    /// let queue = SerialQueue(label: "com.example.timeout")
    /// let timer = queue.makeTimer { print("too late") }
    /// timer.start(after: .seconds(30))  // once; a later start replaces this one
    /// ```
    ///
    /// Don't use it for a closure that runs once and that nothing moves or cancels: `asyncAfter(_:_:)` needs no timer that must be kept.
    ///
    /// - Parameter body: Runs on the queue in its turn, as that of ``makeTimer(every:leeway:_:)``.
    /// - Precondition: There are memory and a thread for the timer, and the queue is not from before a `fork`. Otherwise the program traps,
    ///   with a message that names the queue.
    /// - Returns: The timer. Releasing it cancels it.
    @inline(never)
    public func makeTimer(_ body: consuming sending @escaping () -> Void) -> Timer {
        makeTimer(consume body, from: sq_swift_caller())
    }

    func makeTimer(_ body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer) -> Timer {
        Timer(on: self, consume body, from: caller)
    }

    func makeTimer(
        every interval: Duration, leeway: Duration, _ body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer
    ) -> Timer {
        guard interval > .zero else { intervalIsNotPositive(interval) }
        let timer = makeTimer(consume body, from: caller)
        timer.start(after: interval, every: interval, leeway: leeway)
        return timer
    }

    /// A one-shot or periodic timer on a queue, made by ``WorkQueue/makeTimer(every:leeway:_:)`` or ``WorkQueue/makeTimer(_:)``.
    ///
    /// All methods may be called from any thread, and from the timer's own closure. Releasing the timer cancels it.
    public final class Timer: Sendable {
        // Sendable because every call on an sq_timer_t is legal from any thread until it is released (sq_timer.h). Only
        // this object's deinit releases it, and the pointer never changes.
        private nonisolated(unsafe) let timer: OpaquePointer?
        private let body: TimerBody

        fileprivate init(on queue: WorkQueue, _ body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer) {
            self.body = TimerBody(consume body)
            var task = self.body.task
            timer = withExtendedLifetime(queue) { sq__timer_create(queue.queue, &task, caller) }
            if timer == nil {
                let error = sq_swift_errno()  // the deinits of what is released below may change it
                TimerBody.takeBack(task)
                guard error == SQ_SWIFT_ESHUTDOWN else { queue.cannotMakeTimer(error) }
            }
        }

        deinit {
            withExtendedLifetime(body.take()) { sq_timer_release(timer) }
        }

        /// Starts the timer, or starts it anew: it fires after `delay`, then every `interval`.
        ///
        /// - Parameters:
        ///   - delay: The time from now to the first firing.
        ///   - interval: The time from one firing to the next; if it is not positive, one nanosecond. `nil`: the timer fires once.
        ///   - leeway: How late a firing may be if that saves the processor a wake-up.
        /// - Returns: `false` if the timer was cancelled, or its queue has been shut down. Then it does not fire.
        @discardableResult
        public func start(after delay: Duration, every interval: Duration? = nil, leeway: Duration = .zero) -> Bool {
            start(every: interval) { sq_timer_start($0, nanoseconds(delay), $1, nanoseconds(leeway)) }
        }

        /// Starts the timer, or starts it anew: it fires at `start`, then every `interval`.
        ///
        /// If `start` has passed, it fires immediately, and ``intervals`` counts all times since then. Timers with one `start` and one
        /// `interval` stay in step.
        ///
        /// - Parameters:
        ///   - start: The time of the first firing: of the queue's clock, see ``WorkQueue/now``.
        ///   - interval: The time from one firing to the next; if it is not positive, one nanosecond. `nil`: the timer fires once.
        ///   - leeway: How late a firing may be if that saves the processor a wake-up.
        /// - Returns: `false` if the timer was cancelled, or its queue has been shut down. Then it does not fire.
        @discardableResult
        public func start(at start: Instant, every interval: Duration? = nil, leeway: Duration = .zero) -> Bool {
            self.start(every: interval) { sq_timer_start_at($0, nanoseconds(start.offset), $1, nanoseconds(leeway)) }
        }

        private func start(every interval: Duration?, by start: (OpaquePointer, UInt64) -> CInt) -> Bool {
            guard let timer, !body.isTaken else { return false }
            // In C, an interval of 0 means "once".
            let interval = interval.map { max(nanoseconds($0), 1) } ?? 0
            return withExtendedLifetime(self) {
                guard start(timer, interval) == 0 else { return false }
                // A concurrent cancel takes the body first. So it either cancels this start, or is detected here.
                guard body.isTaken else { return true }
                sq_timer_cancel(timer)
                return false
            }
        }

        /// The number of intervals that the running firing covers: 1, plus 1 for each skipped firing before it.
        ///
        /// Outside of a firing, the number of the last one; 0 before the first.
        public var intervals: Int {
            withExtendedLifetime(self) { timer.map { Int(clamping: sq_timer_intervals($0)) } ?? 0 }
        }

        /// Prevents firings from starting, until balanced by as many ``resume()`` calls. A running one continues.
        ///
        /// What becomes due meanwhile is one firing after the resume; ``intervals`` counts what it covers. Legal before the timer is started;
        /// a timer that is started anew stays suspended. A suspended timer can be cancelled and released.
        ///
        /// - Returns: `false` if nothing was done: the queue is from before a `fork`, or had been shut down when the timer was made.
        @discardableResult
        public func suspend() -> Bool {
            withExtendedLifetime(self) { timer.map { sq_timer_suspend($0) == 0 } ?? false }
        }

        /// Balances one ``suspend()``; the last one lets the timer fire again.
        ///
        /// - Returns: `false` if nothing was done: the timer was not suspended, or its queue is from before a `fork`.
        @discardableResult
        public func resume() -> Bool {
            withExtendedLifetime(self) { timer.map { sq_timer_resume($0) == 0 } ?? false }
        }

        /// Cancels the timer: no firing starts after this has returned. A running one continues.
        ///
        /// The closure is released immediately, or after the running firing.
        public func cancel() {
            // The body is released last: its captures may have a deinit that uses the timer.
            withExtendedLifetime((self, body.take())) {
                if let timer { sq_timer_cancel(timer) }
            }
        }

        /// Cancels the timer, and submits `body` to its queue, to run once no firing runs.
        ///
        /// `body` runs after everything that the queue accepted before, and on a ``ConcurrentQueue`` as a barrier. The timer's own closure has
        /// been released by then, unless another thread cancels the timer at the same time. A full queue accepts `body`, too. If the
        /// queue is shut down before its turn, `body` is released.
        ///
        /// - Returns: `false` if `body` was refused: the queue has been shut down, there was no memory, or it is from before a `fork`. Then
        ///   `body` will not run and has been released. The timer is cancelled in any case.
        @discardableResult @inline(never)
        public func cancel(then body: consuming sending @escaping () -> Void) -> Bool {
            cancel(then: consume body, from: sq_swift_caller())
        }

        func cancel(then body: consuming sending @escaping () -> Void, from caller: UnsafeRawPointer) -> Bool {
            cancel()  // first, so that the timer's closure is released before `body` runs
            guard let timer else { return false }
            var task = DelayedClosure.task(consume body)
            let status = withExtendedLifetime(self) { sq__timer_cancel_then(timer, &task, caller) }
            if status != 0 { DelayedClosure.takeBack(task) }
            return status == 0
        }

        /// Cancels the timer, and waits until no firing runs. The last firing's writes are visible afterwards.
        ///
        /// - Parameter limit: How long to wait; `nil`: without limit.
        /// - Throws: `timedOut`, if a firing runs for longer; `deadlock`, if the firing waits for the caller, or the caller is the
        ///   firing; `noResources`. The timer is cancelled in any case.
        public func cancelAndWait(within limit: Duration? = nil) throws(SerialQueueError) {
            try withExtendedLifetime((self, body.take())) { () throws(SerialQueueError) in
                guard let timer else { return }
                let status = sq_timer_cancel_and_wait(timer, deadline(limit))
                guard status != 0 else { return }
                let error = SerialQueueError(status: status)
                sq_timer_cancel(timer)  // without memory, C has not cancelled it
                throw error
            }
        }
    }
}

/// A timer's closure, until it is released.
///
/// Unchecked Sendable: the closure belongs to the running firing if there is one, otherwise to the thread that takes it. Firings
/// of a timer run one at a time. A thread that takes the closure during a firing leaves the release to the firing, so no closure is released
/// while it runs. Not a Mutex, because ThreadSanitizer cannot follow a contended one.
final class TimerBody: @unchecked Sendable {
    private enum Stage: UInt8, AtomicRepresentable {
        case waits
        case fires
        case taken
        /// The firing releases it.
        case takenWhileItFires
    }

    private var body: (() -> Void)?
    private let stage = Atomic(Stage.waits)

    init(_ body: consuming sending @escaping () -> Void) {
        self.body = consume body
    }

    var isTaken: Bool {
        // [body] pairs with `take`. A start after a cancel also sees it through the C timer's lock.
        let stage = stage.load(ordering: .acquiring)
        return stage == .taken || stage == .takenWhileItFires
    }

    func fire() {
        // [body] pairs with the end of the previous firing.
        guard stage.compareExchange(expected: .waits, desired: .fires, ordering: .acquiring).exchanged else { return }
        body?()
        // [body] releases the closure's writes to `take`; acquires the writes before a `take` that came during the call.
        if !stage.compareExchange(expected: .fires, desired: .waits, ordering: .acquiringAndReleasing).exchanged {
            _ = body.take()
        }
    }

    /// Returns the closure, for the caller to release; `nil` if it is running (the firing releases it), or was taken before.
    func take() -> (() -> Void)? {
        var found = stage.load(ordering: .relaxed)
        while found == .waits || found == .fires {
            let next = found == .waits ? Stage.taken : .takenWhileItFires
            // [body] acquires what the last firing wrote: the caller releases the closure.
            let result = stage.compareExchange(expected: found, desired: next, ordering: .acquiringAndReleasing)
            if result.exchanged { return found == .waits ? body.take() : nil }
            found = result.original
        }
        return nil
    }
}
