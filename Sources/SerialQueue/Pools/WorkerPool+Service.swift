import CSerialQueue
import CSerialQueueSwiftCall

extension WorkerPool {
    /// The pool of this class that the whole process shares, as GCD's global queues share one per quality of service.
    ///
    /// For the default class this is ``shared``; the other pools are like it. The first call makes the pool.
    public static func shared(_ service: ServiceClass) -> WorkerPool {
        switch service {
        case .default: shared
        case .interactive: sharedInteractive
        case .utility: sharedUtility
        case .background: sharedBackground
        }
    }

    private static let sharedInteractive = makeShared(.interactive)
    private static let sharedUtility = makeShared(.utility)
    private static let sharedBackground = makeShared(.background)

    private static func makeShared(_ service: ServiceClass) -> WorkerPool {
        guard let pool = sq_pool_shared_of(service.inC) else { cannotMakePool("shared, \(service)", stackSize: nil) }
        return WorkerPool(owning: sq_pool_retain(pool))
    }

    /// What the system uses for the threads of a pool.
    public struct Granted: Sendable, Hashable {
        /// The class that was asked for.
        public let service: ServiceClass
        /// Whether everything that the class asks for is in effect.
        public let isComplete: Bool
        /// The nice value.
        public let nice: Int
        /// Whether `SCHED_BATCH` is in effect.
        public let isBatch: Bool
        /// The length of a time slice; `nil`: the system does not say (before Linux 6.12).
        public let slice: Duration?
    }

    /// Asks the system what it uses for the threads of this pool's class.
    ///
    /// A refusal is never an error: nice values may be limited, a container may forbid the call, and kernels before 6.12 ignore the
    /// length of a slice without an error. The call starts a thread as the pool does, asks the system about it, and ends it: some
    /// tens of microseconds.
    ///
    /// `nil`: the pool has no threads of its own (``ManualPool``, ``LoopPool``), or no thread could be started.
    public final var granted: Granted? {
        var granted = sq_swift_pool_granted()
        let status = withExtendedLifetime(self) { sq_pool_granted(pool, &granted) }
        guard status == 0, let service = ServiceClass.allCases.first(where: { $0.inC == granted.service }) else { return nil }
        return Granted(
            service: service, isComplete: granted.complete, nice: Int(granted.nice), isBatch: granted.batch,
            slice: granted.slice == 0 ? nil : .nanoseconds(granted.slice)
        )
    }
}
