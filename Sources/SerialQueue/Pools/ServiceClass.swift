import CSerialQueue

/// A class of service: what the threads of a pool ask the system for when they start. GCD calls it a quality-of-service class.
///
/// It belongs to the threads, not to a closure: Linux does not let a program without privileges lower a nice value again, so no
/// thread changes its class. ``WorkerPool/granted`` says what is in effect.
///
/// ```swift
/// let thumbnails = SerialQueue(label: "thumbnails", on: .shared(.background))
/// let download = Task(executorPreference: ConcurrentQueue.global(.utility)) { "data" }
/// ```
///
/// A task's priority does not change the class, and the class does not change the priority.
public enum ServiceClass: UInt8, Sendable, Hashable, CaseIterable {
    /// The same as the main thread.
    case `default`
    /// Short time slices (0.5 ms, from Linux 6.12 on): the scheduler runs its threads sooner after a wake-up. It does not give them
    /// more processor time.
    case interactive
    /// Nice 5: less processor time on a busy machine.
    case utility
    /// Nice 10 and `SCHED_BATCH`: on a busy machine, the processor time that others leave.
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
