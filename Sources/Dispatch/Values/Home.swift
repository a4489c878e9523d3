// Home.swift: where queues are made.

import Dispatch
import SerialQueue
import Synchronization

/// The pools, the main queue and the global queues of the process, or those of a test.
package final class Home: Sendable {
    /// Of a test; `nil`: of the process.
    package let manual: ManualPool?
    private let mainOfTest: DispatchQueue?
    private let globals: [DispatchQueue]

    private init(manual: ManualPool?) {
        self.manual = manual
        mainOfTest = manual.map { DispatchQueue(mainOn: $0, isTested: true) }
        globals = Self.classes.map { DispatchQueue(global: $0, on: manual ?? .shared($0.service), isTested: manual != nil) }
    }

    /// Everything runs on this pool.
    package convenience init(on pool: ManualPool) {
        self.init(manual: pool)
    }

    private static let process = Home(manual: nil)
    /// Made by its first use, because it needs a descriptor and a source of Dispatch.
    private static let mainOfProcess = DispatchQueue(mainOn: MainLoop.shared.pool, isTested: false)

    var main: DispatchQueue {
        mainOfTest ?? Self.mainOfProcess
    }

    /// Whether a test has had a home of its own. Until then nobody looks for one.
    package static let hasTests = Atomic(false)
    @TaskLocal package static var ofTest: Home?

    static var current: Home {
        // Relaxed: a test's own code comes after its store, on the same thread or through a queue.
        hasTests.load(ordering: .relaxed) ? ofTest ?? process : process
    }

    /// Runs a closure of a queue that was made in `home`.
    static func within(_ home: Home?, _ body: () -> Void) {
        if let home { $ofTest.withValue(home, operation: body) } else { body() }
    }

    func pool(_ service: ServiceClass) -> WorkerPool {
        manual ?? .shared(service)
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
