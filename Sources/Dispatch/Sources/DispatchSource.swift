import Dispatch
import SerialQueue
import Synchronization

/// A timer that calls a closure on a queue. Made inactive, by ``makeTimerSource(flags:queue:)``.
///
/// Sources of files, signals and processes stay Dispatch's: `Dispatch.DispatchSource`. Releasing the last reference cancels the timer, also
/// if it is suspended or inactive, where Dispatch crashes.
public final class DispatchSource: DispatchObject, DispatchSourceTimer, @unchecked Sendable {
    // Sendable because the queue and the timer are, and the rest is under a lock.

    /// The flags are Dispatch's. They have no effect.
    public typealias TimerFlags = Dispatch.DispatchSource.TimerFlags

    /// The handlers, which the timer's closure shares with this object.
    final class Handlers: @unchecked Sendable {
        // Called one at a time, on the source's queue; set under the lock.
        struct All {
            var event: DispatchSourceHandler?
            var cancel: DispatchSourceHandler?
            var registration: DispatchSourceHandler?
        }

        private var all = All()
        private let lock = Mutex(())

        func set(_ path: WritableKeyPath<All, DispatchSourceHandler?>, _ handler: DispatchSourceHandler?) {
            let old = lock.withLock { _ in
                nonisolated(unsafe) let old = all[keyPath: path]
                all[keyPath: path] = handler
                return old
            }
            withExtendedLifetime(old) {}
        }

        func call(_ path: WritableKeyPath<All, DispatchSourceHandler?>) {
            let handler = lock.withLock { _ in
                nonisolated(unsafe) let handler = all[keyPath: path]
                return handler
            }
            handler?()
        }

        func removeAll() {
            for path in [\All.event, \All.cancel, \All.registration] { set(path, nil) }
        }
    }

    /// Suspended while the source is. Its closures enter the queue that the timer was made for.
    private let order: SerialQueue
    private let queue: DispatchQueue
    private let timer: WorkQueue.Timer
    private let handlers = Handlers()
    private let activation = Mutex(Activation(isActive: false))
    private let cancelled = Atomic(false)

    private init(on queue: DispatchQueue) {
        self.queue = queue
        order = SerialQueue(label: "timer on \(queue.label)", on: queue.pool)
        order.suspend()
        timer = order.makeTimer(every: .forever, Self.entering(queue) { [handlers] in handlers.call(\.event) })
        super.init()
        order.async(Self.entering(queue) { [handlers] in handlers.call(\.registration) })
    }

    private static func entering(_ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let home = queue.isTested ? Home.ofTest : nil
        return { Home.within(home) { queue.sync(execute: body) } }
    }

    /// Makes an inactive timer on a queue; `nil`: on the default global queue.
    public class func makeTimerSource(flags: TimerFlags = [], queue: DispatchQueue? = nil) -> any DispatchSourceTimer {
        DispatchSource(on: queue ?? .global())
    }

    func set(_ path: WritableKeyPath<Handlers.All, DispatchSourceHandler?>, _ handler: DispatchSourceHandler?) {
        handlers.set(path, handler)
    }

    /// Starts the timer, or sets new times.
    func schedule(after delay: Duration?, every interval: Duration?, leeway: DispatchTimeInterval) {
        timer.start(after: queue.onClock(delay), every: interval, leeway: duration(leeway) ?? .zero)
    }

    /// Cancels the timer.
    public func cancel() {
        guard !cancelled.exchange(true, ordering: .relaxed) else { return }
        timer.cancel()
        order.async(
            Self.entering(queue) { [handlers] in
                handlers.call(\.cancel)
                handlers.removeAll()
            })
    }

    /// Prevents handlers from starting. Firings meanwhile are counted: ``data``.
    public override func suspend() {
        activation.withLock { $0.suspend() }
        order.suspend()
    }

    /// Balances one ``suspend()``, or starts an inactive timer. Traps if there is nothing to balance.
    public override func resume() {
        activation.withLock { $0.resume() }
        guard order.resume() else { resumedTooOften("DispatchSource", order.label) }
    }

    /// Starts an inactive timer.
    public override func activate() {
        if activation.withLock({ $0.activate() }) { order.resume() }
    }

    /// Always 0.
    public var handle: UInt { 0 }
    /// Always 0.
    public var mask: UInt { 0 }
    /// How many intervals the running firing covers.
    public var data: UInt { UInt(timer.intervals) }
    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
}
