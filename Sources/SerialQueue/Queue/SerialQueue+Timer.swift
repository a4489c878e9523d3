import CSerialQueue
import CSerialQueueSwiftCall
import Synchronization

extension SerialQueue {
    /// Makes a timer that runs `body` on the queue every `interval`, first in one `interval` from now.
    ///
    /// A firing that becomes due while the one before still waits or runs is skipped; if that one runs, one firing follows
    /// immediately. ``Timer/intervals`` is the number of intervals that a firing covers. No firing comes early. On a ``ManualPool`` the
    /// timer uses the pool's clock. Traps if `interval` is not positive, if there is no memory or thread for it, or if the queue is from
    /// before a `fork`. On a queue that has been shut down it never fires.
    ///
    /// ```swift
    /// let queue = SerialQueue(label: "com.example.heartbeat")
    /// let timer = queue.makeTimer(every: .seconds(1), leeway: .milliseconds(100)) { print("alive") }
    /// timer.cancel()
    /// ```
    ///
    /// - Parameters:
    ///   - interval: From one firing to the next.
    ///   - leeway: How late a firing may be if that saves the processor a wake-up.
    ///   - body: Runs on the queue in its turn. Released when the timer is cancelled, or its queue has been shut down.
    /// - Returns: The timer; releasing it cancels it.
    public func makeTimer(
        every interval: Duration, leeway: Duration = .zero, _ body: consuming sending @escaping () -> Void
    ) -> Timer {
        guard interval > .zero else { intervalIsNotPositive(interval) }
        let timer = Timer(on: self, consume body)
        timer.start(after: interval, every: interval, leeway: leeway)
        return timer
    }

    /// A one-shot or periodic timer on a queue. Made by ``SerialQueue/makeTimer(every:leeway:_:)``.
    ///
    /// Every call may be made from any thread, and from the timer's own closure. Releasing the timer cancels it.
    public final class Timer: Sendable {
        // Sendable because every call on an sq_timer_t is legal from any thread until it is released (sq_timer.h). This
        // object releases it, when it goes, and the pointer never changes.
        private nonisolated(unsafe) let timer: OpaquePointer?
        private let body: TimerBody

        fileprivate init(on queue: SerialQueue, _ body: consuming sending @escaping () -> Void) {
            self.body = TimerBody(consume body)
            var task = self.body.task
            timer = withExtendedLifetime(queue) { sq_timer_create(queue.queue, &task) }
            if timer == nil {
                let error = sq_swift_errno()  // what is released here may change it
                TimerBody.takeBack(task)
                guard error == SQ_SWIFT_ESHUTDOWN else { queue.cannotMakeTimer(error) }
            }
        }

        deinit {
            withExtendedLifetime(body.take()) { sq_timer_release(timer) }
        }

        /// Starts the timer anew: it fires after `delay`, then every `interval`.
        ///
        /// - Parameters:
        ///   - delay: From now to the first firing.
        ///   - interval: From one firing to the next; one that is not positive counts as a nanosecond. `nil`: it fires once.
        ///   - leeway: How late a firing may be if that saves the processor a wake-up.
        /// - Returns: `false` if the timer was cancelled, or its queue has been shut down: then it does not fire.
        @discardableResult
        public func start(after delay: Duration, every interval: Duration? = nil, leeway: Duration = .zero) -> Bool {
            guard let timer, !body.isTaken else { return false }
            // Less than a nanosecond counts as one; to C, 0 means "once".
            let interval = interval.map { max(nanoseconds($0), 1) } ?? 0
            return withExtendedLifetime(self) {
                guard sq_timer_start(timer, nanoseconds(delay), interval, nanoseconds(leeway)) == 0 else { return false }
                // A cancel takes the body first: it either cancels what was just started, or is noticed here.
                guard body.isTaken else { return true }
                sq_timer_cancel(timer)
                return false
            }
        }

        /// How many intervals the running firing covers: 1, and 1 for each that was skipped before it.
        ///
        /// Outside of a firing: those of the last one; 0 before the first.
        public var intervals: Int {
            withExtendedLifetime(self) { timer.map { Int(clamping: sq_timer_intervals($0)) } ?? 0 }
        }

        /// Ends the timer: no firing starts after this has returned. One that runs continues.
        ///
        /// The closure is released at once, or when a firing that runs is over.
        public func cancel() {
            // Released last: what it captured may have a deinit that uses the timer.
            withExtendedLifetime((self, body.take())) {
                if let timer { sq_timer_cancel(timer) }
            }
        }

        /// As ``cancel()``, and waits until no firing runs. What the last one wrote is visible then.
        ///
        /// - Parameter limit: How long to wait at most; `nil`: without limit.
        /// - Throws: `timedOut`, if a firing runs for longer; `deadlock`, if it waits for the caller, or is the caller;
        ///   `noResources`. The timer is cancelled in any case.
        public func cancelAndWait(within limit: Duration? = nil) throws(SerialQueueError) {
            try withExtendedLifetime((self, body.take())) { () throws(SerialQueueError) in
                guard let timer else { return }
                let status = sq_timer_cancel_and_wait(timer, deadline(limit))
                guard status != 0 else { return }
                let error = SerialQueueError(status: status)
                sq_timer_cancel(timer)  // C has not, if there was no memory
                throw error
            }
        }
    }
}

/// What a timer calls, until it is cancelled.
///
/// Unchecked Sendable: the closure belongs to the firing while there is one, otherwise to the thread that takes it. Firings come
/// one at a time, as tasks of a queue do. Not a Mutex, because ThreadSanitizer cannot follow one that is contended. The races:
/// Documentation/Design.md, section 18.
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
        // [body] pairs with `take`; a start after a cancel sees it by the lock of the C timer, too.
        let stage = stage.load(ordering: .acquiring)
        return stage == .taken || stage == .takenWhileItFires
    }

    func fire() {
        // [body] pairs with the end of the firing before.
        guard stage.compareExchange(expected: .waits, desired: .fires, ordering: .acquiring).exchanged else { return }
        body?()
        // [body] releases what the closure wrote to `take`; acquires what came before a `take` during the call.
        if !stage.compareExchange(expected: .fires, desired: .waits, ordering: .acquiringAndReleasing).exchanged {
            _ = body.take()
        }
    }

    /// The closure, for the caller to release; `nil` if it runs (the firing releases it then), or has been taken.
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
