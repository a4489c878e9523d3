// Home.swift: where queues are made.

import CSerialQueue.Private
import Dispatch
import SerialQueue
import Synchronization

/// The main queue and the global queues of the process, or those of a test.
package final class Home: @unchecked Sendable {
    // Sendable because only `init` sets the queues.

    /// Of a test, on which everything runs; `nil`: of the process.
    let manual: ManualPool?
    private(set) var main: DispatchQueue!
    private var globals: [DispatchQueue] = []

    private init(manual: ManualPool?) {
        self.manual = manual
        main = DispatchQueue("com.apple.main-thread", .main, .unspecified, isConcurrent: false, of: self)
        globals = Self.classes.map { qos in
            // Dispatch's answers on Linux.
            let own = DispatchQoS(qosClass: qos == .default ? .unspecified : qos, relativePriority: 0)
            return DispatchQueue("com.apple.root.\(qos.name)-qos", .global, own, isConcurrent: true, of: self)
        }
    }

    /// Everything runs on this pool.
    package convenience init(on pool: ManualPool) {
        self.init(manual: pool)
    }

    static let process = Home(manual: nil)
    /// Whether a test has had a home of its own. Until then nobody looks for one.
    package static let hasTests = Atomic(false)
    @TaskLocal package static var ofTest: Home?

    static var current: Home {
        // Relaxed: a test's own code comes after its store, on the same thread or through a queue.
        hasTests.load(ordering: .relaxed) ? ofTest ?? process : process
    }

    /// Whether the caller runs a closure on the main queue of a test.
    package static var isOnMainOfTest: Bool {
        hasTests.load(ordering: .relaxed) ? ofTest?.main.isCurrent ?? false : false
    }

    /// For how long a wait in a test may have no end: the caller may be the thread that would run the pool. `nil`: without limit. An exploration
    /// finds such waits itself.
    var patience: Duration? {
        manual == nil || sq__is_explored() ? nil : .seconds(20)
    }

    /// Runs what the test's pool has ready, until `isDone`. Returns whether it is.
    func runs(until isDone: () -> Bool) -> Bool {
        while let manual, manual.run() > 0 { if isDone() { return true } }
        return false
    }

    func global(_ qos: DispatchQoS.QoSClass) -> DispatchQueue {
        // On Linux Dispatch has no queue of its own for userInteractive.
        let qos = qos == .userInteractive ? .userInitiated : qos == .unspecified ? .default : qos
        return globals[Self.classes.firstIndex(of: qos)!]
    }

    private static let classes: [DispatchQoS.QoSClass] = [.background, .utility, .default, .userInitiated]
}

extension DispatchQoS.QoSClass {
    /// The class of service of the threads.
    var service: ServiceClass {
        switch self {
        case .background: .background
        case .utility: .utility
        case .userInitiated, .userInteractive: .interactive
        default: .default
        }
    }

    /// How Dispatch names its global queues.
    var name: String {
        switch self {
        case .background: "background"
        case .utility: "utility"
        case .userInitiated: "user-initiated"
        default: "default"
        }
    }
}
