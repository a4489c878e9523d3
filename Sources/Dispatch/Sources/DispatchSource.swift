import Dispatch
import SerialQueue
import Synchronization

/// Calls a closure on a queue: when it is time, or when an event comes. Made inactive, by the functions `make…Source`.
///
/// Releasing the last reference cancels it, also if it is suspended or inactive, where Dispatch crashes. Signals and descriptors are watched by
/// a source of Dispatch. That of a descriptor waits until the closure has run; signals and data meanwhile are one event.
public final class DispatchSource: DispatchObject, @unchecked Sendable {
    // Sendable because the queues and sources are, and what changes is under a lock.

    /// The flags are Dispatch's. They have no effect.
    public typealias TimerFlags = Dispatch.DispatchSource.TimerFlags

    /// When a timer fires, according to the last `schedule`.
    struct Times: Sendable {
        /// Of the clock of the source's queue. `nil`: never.
        let start: WorkQueue.Instant?
        let interval: Duration?
        let leeway: Duration
    }

    private struct State {
        var activation = Activation(isInactive: true)
        var queue: DispatchQueue
        var times: Times?
        /// Suspended while the source is. Its target is the queue, its closures are the handlers. `nil`: the source has not begun.
        var order: SerialQueue?
        var timer: WorkQueue.Timer?
    }

    private let state: Mutex<State>
    private let handlers = SourceHandlers()
    /// What watches signals or a descriptor; else `nil`.
    private let watcher: Dispatch.DispatchSource?
    /// How its data is merged; `nil`: this is a timer, or watches a descriptor.
    private let merge: SourceHandlers.Merge?

    /// `watcher`: Inactive.
    init(_ watcher: (any Dispatch.DispatchSourceProtocol)? = nil, merging merge: SourceHandlers.Merge? = nil, on queue: DispatchQueue?) {
        state = Mutex(State(queue: queue ?? .global()))
        self.merge = merge
        self.watcher = watcher as! Dispatch.DispatchSource?
    }

    deinit {
        if !isCancelled {
            handlers.isReleased.store(true, ordering: .relaxed)
            cancel()
        }
        // Nothing is called any more but a cancel handler that waits. Dispatch releases neither an inactive nor a suspended source.
        state.withLock { state in
            if let order = state.order { state.activation.free(order) } else { watcher?.activate() }
            for _ in 0..<state.activation.suspensions { watcher?.resume() }
        }
    }

    func set(_ kind: SourceHandlers.Kind, _ handler: DispatchSourceHandler?) {
        handlers.set(kind, handler)
        // One that comes late is called at once.
        if kind == .registration { state.withLock { announce($0) } }
    }

    /// Starts the timer, or sets new times. The first one is `delay` from now, or has passed: then it fires at once, for all times since.
    func schedule(after delay: Duration?, every interval: Duration?, leeway: Duration) {
        state.withLock { state in
            let now = WorkQueue.Instant.now(on: state.queue.manual)
            state.times = Times(start: delay.map { now.advanced(by: state.queue.onClock($0)) }, interval: interval, leeway: leeway)
            start(state)
        }
    }

    private func start(_ state: State) {
        guard let times = state.times, let timer = state.timer else { return }
        if let start = times.start {
            timer.start(at: start, every: times.interval, leeway: times.leeway)
        } else {
            timer.start(after: .forever)
        }
    }

    private func announce(_ state: State) {
        _ = state.order?.async(state.queue.enclosed { [handlers] in handlers.announce() })
    }

    private func begin(_ state: inout State) {
        let queue = state.queue, order = SerialQueue(label: queue.label, target: queue.queue)
        queue.record.attach(to: order)
        state.activation.hold(order)
        state.order = order
        if let watcher {
            watch(watcher, for: queue, order)
        } else {
            announce(state)
            if merge == nil { state.timer = order.makeTimer(every: .forever, queue.enclosed({ [handlers] in handlers.fire() }, repeats: true)) }
            if handlers.hasNext { fireNext(state) }
            if isCancelled { finish(state) } else { start(state) }
        }
    }

    private func fireNext(_ state: State) {
        _ = state.order?.async(state.queue.enclosed { [handlers] in handlers.fireNext() })
    }

    /// Merges data into the next event of a source that merges. One that has not begun fires when it does.
    func add(next data: UInt) {
        if let merge, handlers.merge(data, by: merge) { state.withLock { fireNext($0) } }
    }

    private func finish(_ state: State) {
        state.timer?.cancel()
        _ = state.order?.async(state.queue.enclosed { [handlers] in handlers.finish() })
    }

    private func watch(_ watcher: Dispatch.DispatchSource, for queue: DispatchQueue, _ order: SerialQueue) {
        let announce = queue.enclosed { [handlers] in handlers.announce() }
        let fire = queue.enclosed({ [handlers, merge] in merge == nil ? handlers.fire() : handlers.fireNext() }, repeats: true)
        let finish = queue.enclosed { [handlers] in handlers.finish() }
        watcher.setRegistrationHandler { order.async(announce) }
        watcher.setEventHandler { [handlers, merge] in
            if let merge {
                if handlers.merge(watcher.data, by: merge) { order.async(fire) }
                return
            }
            let pause = Pause(of: watcher)
            handlers.data.store(watcher.data, ordering: .relaxed)
            order.async { withExtendedLifetime(pause, fire) }
        }
        watcher.setCancelHandler { order.async(finish) }
        watcher.activate()
    }

    /// Cancels the source: no event handler starts any more; the cancel handler runs on the queue.
    public func cancel() {
        guard !handlers.isCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if let watcher { watcher.cancel() } else { state.withLock { finish($0) } }
    }

    /// Prevents handlers from starting. Firings meanwhile are counted: ``data``.
    public override func suspend() {
        state.withLock { state in
            state.activation.suspend(state.order)
            watcher?.suspend()
        }
    }

    /// Balances one ``suspend()``, or starts an inactive source. Traps if there is nothing to balance.
    public override func resume() {
        let isBalanced = state.withLock { state in
            if state.activation.isNextToBegin { begin(&state) } else if state.activation.suspensions > 0 { watcher?.resume() }
            return state.activation.resume(state.order)
        }
        guard isBalanced else { resumedTooOften("DispatchSource", state.withLock { $0.queue.label }) }
    }

    /// Starts an inactive source.
    public override func activate() {
        state.withLock { state in
            if state.activation.isInactive { begin(&state) }
            state.activation.activate(state.order)
        }
    }

    /// Sets the queue on which the handlers run. Traps if the source has begun.
    public override func setTarget(queue: DispatchQueue) {
        // Released after the lock: its values may have a deinit.
        let (old, isLate) = state.withLock { state in
            let old = state.queue
            if state.order == nil {
                if let times = state.times, let start = times.start {
                    // The same time from now, on the clock of the new queue.
                    let left = WorkQueue.Instant.now(on: old.manual).duration(to: start)
                    let moved = WorkQueue.Instant.now(on: queue.manual).advanced(by: left)
                    state.times = Times(start: moved, interval: times.interval, leeway: times.leeway)
                }
                state.queue = queue
            }
            return (old, state.queue !== queue)
        }
        withExtendedLifetime(old) {}
        if isLate { cannotSetTarget("the source has begun. Set its target before.") }
    }

    /// The descriptor or the number of the signal; 0 for others.
    public var handle: UInt { watcher?.handle ?? 0 }
    /// Always 0 for a timer.
    public var mask: UInt { watcher?.mask ?? 0 }
    /// What the running event handler is for: how many intervals, how many signals, how many bytes, or the data that was added.
    public var data: UInt {
        state.withLock { $0.timer }.map { UInt($0.intervals) } ?? handlers.data.load(ordering: .relaxed)
    }
    /// Whether ``cancel()`` was called.
    public var isCancelled: Bool { handlers.isCancelled.load(ordering: .acquiring) }
}

/// A source of Dispatch is suspended until this is released: an event is there until its handler has run.
private final class Pause: @unchecked Sendable {
    // Sendable because sources may be used from any thread.
    private let watcher: Dispatch.DispatchSource

    init(of watcher: Dispatch.DispatchSource) {
        self.watcher = watcher
        watcher.suspend()
    }

    deinit {
        watcher.resume()
    }
}
