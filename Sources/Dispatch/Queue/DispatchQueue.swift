import Dispatch
import SerialQueue
import Synchronization

/// A queue with the names of Dispatch, and the behaviour of a `SerialQueue` or `ConcurrentQueue`.
///
/// A program moves by type aliases in a file of its own: <doc:SerialQueueDispatch>. Where Dispatch crashes without a message or hangs, this
/// class ends the program with a message, or is safe: releasing a suspended queue discards what waits.
///
/// As in Dispatch, a serial queue without a target has a thread whenever it has something to run, however many other queues compute or block. The
/// global queues and concurrent queues of a class of service share its threads, and so does a serial queue whose target is a global queue: these are about one per
/// processor, and more, up to 64, while closures block. While as many closures compute there as there are processors, or 64 block outside of this
/// library, no other queue on these threads runs.
public final class DispatchQueue: DispatchObject, @unchecked Sendable {
    // Sendable because the core's queues are; what is set by the first use is read after it; the rest is under a lock.

    /// The attributes are Dispatch's.
    public typealias Attributes = Dispatch.DispatchQueue.Attributes
    /// Accepted, without an effect: there are no autorelease pools on Linux.
    public typealias AutoreleaseFrequency = Dispatch.DispatchQueue.AutoreleaseFrequency
    /// The priorities are Dispatch's.
    public typealias GlobalQueuePriority = Dispatch.DispatchQueue.GlobalQueuePriority

    enum Role {
        case created, global, main
    }

    private struct State {
        /// Fixed by the first use.
        var target: DispatchQueue?
        var activation: Activation
        /// Whether the core's queue has the record, or will have it: it costs more than the queue does.
        var hasRecord = false
    }

    let record: QueueRecord
    let role: Role
    /// The quality of service that the queue was made with.
    public let qos: DispatchQoS
    private let isConcurrent: Bool
    /// The pool of the test that it was made in.
    let manual: ManualPool?
    /// The test. Its main queue and its global queues do not keep it.
    private let keptHome: Home?
    private weak var ownHome: Home?
    private let state: Mutex<State>
    /// The core's queue. Made by the first use, because then the target is known.
    private let core = Atomic<Unmanaged<WorkQueue>?>(nil)
    /// Whether the queue or one of its targets is the main queue. Set by the first use.
    private var isOnMain = false
    /// A concurrent target of a concurrent queue, which this is or has among its targets: each closure enters it, because the core's queues with a
    /// target are serial. Set by the first use.
    private var shared: DispatchQueue?
    /// Whether a closure needs nothing but the core's queue. Set by the first use, and unset by the first use of a queue that shares this one.
    @usableFromInline let plain = Atomic(false)

    init(
        _ label: String, _ role: Role, _ qos: DispatchQoS, isConcurrent: Bool, isInactive: Bool = false, target: DispatchQueue? = nil, of home: Home
    ) {
        record = QueueRecord(label: label, isShared: isConcurrent)
        self.role = role
        self.qos = qos
        self.isConcurrent = isConcurrent
        manual = home.manual
        keptHome = role == .created && home.manual != nil ? home : nil
        ownHome = home.manual == nil ? nil : home
        state = Mutex(State(target: target, activation: Activation(isInactive: isInactive)))
    }

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - label: Names the queue in messages.
    ///   - qos: Chooses the threads, and so their nice value: see `ServiceClass`.
    ///   - attributes: `.concurrent`, `.initiallyInactive`.
    ///   - autoreleaseFrequency: Without an effect.
    ///   - target: A queue on which the closures run: children of a serial queue exclude each other.
    public convenience init(
        label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
    ) {
        var qos = Self.known(qos), target = target
        if let root = target, root.role == .global {
            // A class of its own has precedence, as in Dispatch: the root queue of that class replaces the target.
            if qos == .unspecified { qos = root.qos } else { target = (root.home ?? .process).global(qos.qosClass) }
        }
        self.init(
            label, .created, qos, isConcurrent: attributes.contains(.concurrent), isInactive: attributes.contains(.initiallyInactive),
            target: target, of: .current)
    }

    /// What Dispatch makes of it on Linux.
    private static func known(_ qos: DispatchQoS) -> DispatchQoS {
        guard qos.qosClass != .unspecified, (-15...0).contains(qos.relativePriority) else { return .unspecified }
        return qos.qosClass == .userInteractive ? DispatchQoS(qosClass: .userInitiated, relativePriority: qos.relativePriority) : qos
    }

    deinit {
        // Accepted closures still run.
        core.load(ordering: .acquiring)?.release()
    }

    /// The label that the queue was made with.
    public var label: String {
        record.label
    }

    /// The queue of the main thread.
    public class var main: DispatchQueue {
        Home.current.main
    }

    /// A concurrent queue that the whole program shares. Barriers on it are none.
    public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue {
        Home.current.global(qos)
    }

    /// A concurrent queue that the whole program shares.
    public class func global(priority: GlobalQueuePriority) -> DispatchQueue {
        switch priority {
        case .high: global(qos: .userInitiated)
        case .low: global(qos: .utility)
        case .background: global(qos: .background)
        default: global(qos: .default)
        }
    }

    /// Prevents closures from starting, until balanced by ``resume()``. No effect on the main queue and on global queues.
    public override func suspend() {
        if role != .created { return }
        state.withLock { $0.activation.suspend(made) }
    }

    /// Balances one ``suspend()``, or activates an inactive queue. Traps if there is nothing to balance.
    public override func resume() {
        if role != .created { return }
        guard state.withLock({ $0.activation.resume(made) }) else { resumedTooOften("DispatchQueue", label) }
    }

    /// Lets a queue begin that was made with `.initiallyInactive`.
    public override func activate() {
        state.withLock { $0.activation.activate(made) }
    }

    /// Sets the target, before the first use. No effect on the main queue and on global queues.
    ///
    /// Traps if the queue was used before, or if it would target itself. A submission uses it; so does a notification of a group or an item on
    /// it, the activation of a source on it, and the first use of a queue that targets it.
    public override func setTarget(queue: DispatchQueue) {
        if role != .created { return }
        var next: DispatchQueue? = queue
        while let each = next {
            guard each !== self else { cannotSetTarget("queue \"\(label)\" would target itself.") }
            next = each.state.withLock { $0.target }
        }
        // Released after the lock: its values may have a deinit.
        let (old, isLate) = state.withLock { state in
            let old = state.target
            if made == nil { state.target = queue }
            return (old, state.target !== queue)
        }
        withExtendedLifetime(old) {}
        if isLate { cannotSetTarget("queue \"\(label)\" was used. Set its target before, or in its initializer.") }
    }
}

extension DispatchQueue {
    /// The core's queue.
    @usableFromInline
    var queue: WorkQueue {
        made ?? use()
    }

    @inlinable
    var isPlain: Bool {
        plain.load(ordering: .relaxed)
    }

    /// The core's queue, if there is one.
    var made: WorkQueue? {
        // Acquiring pairs with the release in `use`: the queue is complete.
        core.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    @inline(never)
    private func use() -> WorkQueue {
        state.withLock { state in
            if let made { return made }
            let target = state.target, base = target?.role == .global ? nil : target, below = base?.queue, queue: WorkQueue
            let isEntered = isConcurrent && below is ConcurrentQueue
            shared = isEntered ? base : base?.shared
            if let base, let below, !isEntered {
                queue = SerialQueue(label: label, target: below)
                isOnMain = base.isOnMain
            } else if role == .created, target == nil, manual == nil, !isConcurrent {
                queue = SerialQueue(label: label, threadsOf: qos.qosClass.service)
            } else {
                let pool = target?.pool ?? pool
                queue = isConcurrent ? ConcurrentQueue(label: label, on: pool) : SerialQueue(label: label, on: pool)
                isOnMain = role == .main && manual == nil
            }
            plain.store(!isOnMain && manual == nil && shared == nil, ordering: .relaxed)
            // Relaxed: a call that has to know runs in a closure of this queue.
            shared?.plain.store(false, ordering: .relaxed)
            record.target = target?.record
            record.core = queue.queue
            shared?.attachRecord()
            if target != nil || state.hasRecord { record.attach(to: queue) }
            state.hasRecord = target != nil || state.hasRecord
            state.activation.hold(queue)
            core.store(Unmanaged.passRetained(queue), ordering: .releasing)
            return queue
        }
    }

    /// Lets closures on the queue find its record.
    func attachRecord() {
        state.withLock { state in
            if let made, !state.hasRecord { record.attach(to: made) }
            state.hasRecord = true
        }
    }

    /// Where the closures of a queue without a target run.
    private var pool: WorkerPool {
        manual ?? (role == .main ? MainLoop.shared.pool : .shared(qos.qosClass.service))
    }

    /// The queue for a closure with these flags, if it is a barrier.
    @usableFromInline
    func barriers(_ flags: DispatchWorkItemFlags) -> ConcurrentQueue? {
        flags.contains(.barrier) && role != .global ? queue as? ConcurrentQueue : nil
    }

    /// The closure, within the test of this queue, and within a target that it shares. Called once, and its captures are released there, too, unless
    /// it `repeats`.
    @inline(__always)
    func enclosed(_ work: @escaping @Sendable () -> Void, repeats: Bool = false) -> @Sendable () -> Void {
        _ = queue  // the first use sets what is asked here
        return isPlain ? work : enclosedSlowly(work, repeats)
    }

    private func enclosedSlowly(_ work: @escaping @Sendable () -> Void, _ repeats: Bool) -> @Sendable () -> Void {
        guard shared != nil || home != nil else { return work }
        let call = repeats ? work : OneCall(of: work).run
        let body: @Sendable () -> Void = if shared == nil { call } else { { [record, shared] in Self.enter(shared, record, call) } }
        guard let home else { return body }
        return { [body] in Home.$ofTest.withValue(home, operation: body) }
    }

    /// The test. One of its own queues may have outlived it; then it begins again on its pool.
    private var home: Home? {
        keptHome ?? ownHome ?? manual.map(Home.init(on:))
    }

    /// Calls what waits for a queue that is not plain.
    @usableFromInline
    func entering<T>(_ wait: () throws -> T) rethrows -> T {
        if isOnMain, MainLoop.isMainElsewhere { waitsForMainOnMain() }
        guard manual != nil else { return try wait() }
        return try Home.$ofTest.withValue(home, operation: wait)
    }

    /// Runs what has waited, within a target that it shares.
    @usableFromInline
    func entered<T>(_ work: () throws -> T) rethrows -> T {
        try Self.enter(shared, record, work)
    }

    private static func enter<T>(_ shared: DispatchQueue?, _ record: QueueRecord, _ work: () throws -> T) rethrows -> T {
        guard let shared else {
            // The caller is on this queue itself, and no longer on a child that has entered it.
            guard record.isShared, QueueRecord.entered != nil else { return try work() }
            return try QueueRecord.$entered.withValue(nil, operation: work)
        }
        return try shared.sync { try QueueRecord.$entered.withValue(record, operation: work) }
    }
}

/// A closure that is released when it has been called, where that is done.
private final class OneCall: @unchecked Sendable {
    // Sendable because the core calls a closure once.
    private var work: (@Sendable () -> Void)?

    init(of work: @escaping @Sendable () -> Void) {
        self.work = work
    }

    @Sendable func run() {
        work.take()?()
    }
}
