import Dispatch
import SerialQueue
import Synchronization

/// A queue with the names of Dispatch, and the behaviour of a `SerialQueue` or `ConcurrentQueue`.
///
/// A program moves by type aliases in a file of its own: <doc:SerialQueueDispatch>. Where Dispatch crashes without a message or hangs, this
/// class ends the program with a message, or is safe: releasing a suspended queue discards what waits.
public final class DispatchQueue: DispatchObject, @unchecked Sendable {
    // Sendable because the queues are; the target is set before the first submission; the rest is under a lock.

    /// The attributes are Dispatch's.
    public typealias Attributes = Dispatch.DispatchQueue.Attributes
    /// Accepted, without an effect: there are no autorelease pools on Linux.
    public typealias AutoreleaseFrequency = Dispatch.DispatchQueue.AutoreleaseFrequency
    /// The priorities are Dispatch's.
    public typealias GlobalQueuePriority = Dispatch.DispatchQueue.GlobalQueuePriority

    /// The order of this queue. Its targets are entered by each closure.
    @usableFromInline let queue: WorkQueue
    let pool: WorkerPool
    /// The label that the queue was made with.
    public let label: String
    /// The quality of service that the queue was made with.
    public let qos: DispatchQoS
    let isGlobal: Bool
    let isTested: Bool
    /// A queue whose closures exclude this one's; `nil`: a global queue.
    @usableFromInline private(set) nonisolated(unsafe) var target: DispatchQueue?
    private let activation: Mutex<Activation>

    /// Makes a queue.
    ///
    /// - Parameters:
    ///   - label: Names the queue in messages.
    ///   - qos: Chooses the threads: see `ServiceClass`.
    ///   - attributes: `.concurrent`, `.initiallyInactive`.
    ///   - autoreleaseFrequency: Without an effect.
    ///   - target: A queue on which the closures run: children of a serial queue exclude each other.
    public convenience init(
        label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
    ) {
        let home = Home.current
        let pool = target?.pool ?? home.pool(qos.qosClass.service)
        // On a serial target closures run one at a time anyway, in the order in which they were submitted.
        let isConcurrent = attributes.contains(.concurrent) && target.map { $0.queue is ConcurrentQueue } ?? true
        let queue = isConcurrent ? ConcurrentQueue(label: label, on: pool) : SerialQueue(label: label, on: pool)
        self.init(
            queue, on: pool, label, qos == .unspecified ? target?.qos ?? qos : qos, isTested: home.manual != nil, isActive: !attributes.contains(.initiallyInactive))
        if let target, !target.isGlobal { self.target = target }
    }

    private init(
        _ queue: WorkQueue, on pool: WorkerPool, _ label: String, _ qos: DispatchQoS, isGlobal: Bool = false, isTested: Bool,
        isActive: Bool = true
    ) {
        self.queue = queue
        self.pool = pool
        self.label = label
        self.qos = qos
        self.isGlobal = isGlobal
        self.isTested = isTested
        activation = Mutex(Activation(isActive: isActive))
        super.init()
        if !isActive { queue.suspend() }
    }

    /// A global queue.
    convenience init(global qos: DispatchQoS.QoSClass, on pool: WorkerPool, isTested: Bool) {
        let label = "com.apple.root.\(qos.name)-qos"
        let queue = ConcurrentQueue(label: label, on: pool)
        // As Dispatch says on Linux.
        let qos = DispatchQoS(qosClass: qos == .default ? .unspecified : qos, relativePriority: 0)
        self.init(queue, on: pool, label, qos, isGlobal: true, isTested: isTested)
    }

    /// A main queue.
    convenience init(mainOn pool: WorkerPool, isTested: Bool) {
        let label = "com.apple.main-thread"
        self.init(SerialQueue(label: label, on: pool), on: pool, label, .unspecified, isTested: isTested)
    }

    deinit {
        Specifics.end(of: self)
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

    /// Prevents closures from starting, until balanced by ``resume()``. No effect on a global queue.
    public override func suspend() {
        if isGlobal { return }
        activation.withLock { $0.suspend() }
        queue.suspend()
    }

    /// Balances one ``suspend()``. Traps if there was none.
    public override func resume() {
        if isGlobal { return }
        activation.withLock { $0.resume() }
        guard queue.resume() else { resumedTooOften("DispatchQueue", label) }
    }

    /// Lets a queue begin that was made with `.initiallyInactive`.
    public override func activate() {
        if activation.withLock({ $0.activate() }) { queue.resume() }
    }

    /// Sets the target, before the first submission.
    ///
    /// The threads stay those of the pool that the queue was made on. Traps if the queue would target itself.
    public override func setTarget(queue: DispatchQueue) {
        var next: DispatchQueue? = queue
        while let each = next {
            guard each !== self else { targetIsCircular(label) }
            next = each.target
        }
        target = queue.isGlobal ? nil : queue
    }
}

extension DispatchQueue {
    /// The queue for a closure with these flags, if it is a barrier.
    @usableFromInline
    func barriers(_ flags: DispatchWorkItemFlags) -> ConcurrentQueue? {
        flags.contains(.barrier) && !isGlobal ? queue as? ConcurrentQueue : nil
    }

    /// The closure for a submission later on: it keeps the queue, as Dispatch does.
    func enclosedLater(_ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let body = enclosed(work)
        return { withExtendedLifetime(self, body) }
    }

    /// The closure within the targets of this queue, and within its test.
    @inline(__always)
    func enclosed(_ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        target == nil && !isTested ? work : enclosedSlowly(work)
    }

    @inline(never)
    private func enclosedSlowly(_ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let home = isTested ? Home.ofTest : nil
        let target = target
        return {
            Home.within(home) {
                if let target { target.sync(execute: work) } else { work() }
            }
        }
    }
}
