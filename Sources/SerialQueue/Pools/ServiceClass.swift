import CSerialQueue

/// A class of service: what the threads of a pool ask the system for when they start. GCD calls it a quality-of-service class.
///
/// It belongs to the threads, not to a closure: Linux does not let a program without privileges take a nice value back, so no
/// thread changes its class. ``WorkerPool/granted`` says what is in effect.
///
/// ```swift
/// let thumbnails = SerialQueue(label: "thumbnails", on: .shared(.background))
/// let download = Task(executorPreference: ConcurrentQueue.global(.utility)) { "data" }
/// ```
///
/// A task's priority has no influence on it, nor the other way round.
public enum ServiceClass: UInt8, Sendable, Hashable, CaseIterable {
    /// As the main thread.
    case `default`
    /// Short time slices (0.5 ms, from Linux 6.12 on): the scheduler runs its threads sooner after a wake-up. Not more of the processor.
    case interactive
    /// Nice 5: less of a busy processor.
    case utility
    /// Nice 10 and `SCHED_BATCH`: what is left of a busy processor.
    case background

    var inC: sq_service_t {
        switch self {
        case .default: SQ_SERVICE_DEFAULT
        case .interactive: SQ_SERVICE_INTERACTIVE
        case .utility: SQ_SERVICE_UTILITY
        case .background: SQ_SERVICE_BACKGROUND
        }
    }
}
