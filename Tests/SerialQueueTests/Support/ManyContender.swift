import Dispatch
import SerialQueue

/// What DispatchGroup and WorkGroup have in common. Each works with the queues of its own library.
protocol ParityGroup: AnyObject, Sendable {
    func enterOne()
    func leaveOne()
    func submit(to queue: any AnyQueue, _ body: @escaping @Sendable () -> Void)
    /// Whether it ended within the limit; `nil`: without limit.
    func waitForEnd(_ milliseconds: Int?) -> Bool
    func onEnd(_ queue: any AnyQueue, _ body: @escaping @Sendable () -> Void)
}

/// What DispatchSemaphore and Semaphore have in common.
protocol ParitySemaphore: AnyObject, Sendable {
    func give()
    func take(_ milliseconds: Int?) -> Bool
}

/// What DispatchWorkItem and WorkItem have in common.
protocol ParityItem: AnyObject, Sendable {
    var wasCancelled: Bool { get }
    func submit(to queue: any AnyQueue)
    func cancelIt()
    func waitForEnd(_ milliseconds: Int?) -> Bool
    func onEnd(_ queue: any AnyQueue, _ body: @escaping @Sendable () -> Void)
}

private func time(_ milliseconds: Int?) -> DispatchTime {
    milliseconds.map { .now() + .milliseconds($0) } ?? .distantFuture
}

extension DispatchGroup: ParityGroup {
    func enterOne() { enter() }
    func leaveOne() { leave() }
    func submit(to queue: any AnyQueue, _ body: @escaping @Sendable () -> Void) {
        (queue as! DispatchQueue).async(group: self, execute: body)
    }
    func waitForEnd(_ milliseconds: Int?) -> Bool { wait(timeout: time(milliseconds)) == .success }
    func onEnd(_ queue: any AnyQueue, _ body: @escaping @Sendable () -> Void) {
        notify(queue: queue as! DispatchQueue, execute: body)
    }
}

extension WorkGroup: ParityGroup {
    func enterOne() { enter() }
    func leaveOne() { leave() }
    func submit(to queue: any AnyQueue, _ body: @escaping @Sendable () -> Void) {
        (queue as! SerialQueue).async(in: self, body)
    }
    func waitForEnd(_ milliseconds: Int?) -> Bool {
        guard let milliseconds else { wait(); return true }
        return (try? wait(within: .milliseconds(milliseconds))) != nil
    }
    func onEnd(_ queue: any AnyQueue, _ body: @escaping @Sendable () -> Void) {
        notify(on: queue as! SerialQueue, body)
    }
}

extension DispatchSemaphore: ParitySemaphore {
    func give() { signal() }
    func take(_ milliseconds: Int?) -> Bool { wait(timeout: time(milliseconds)) == .success }
}

extension Semaphore: ParitySemaphore {
    func give() { signal() }
    func take(_ milliseconds: Int?) -> Bool {
        guard let milliseconds else { wait(); return true }
        return (try? wait(within: .milliseconds(milliseconds))) != nil
    }
}

extension DispatchWorkItem: ParityItem, @retroactive @unchecked Sendable {
    var wasCancelled: Bool { isCancelled }
    func submit(to queue: any AnyQueue) { (queue as! DispatchQueue).async(execute: self) }
    func cancelIt() { cancel() }
    func waitForEnd(_ milliseconds: Int?) -> Bool { wait(timeout: time(milliseconds)) == .success }
    func onEnd(_ queue: any AnyQueue, _ body: @escaping @Sendable () -> Void) {
        notify(queue: queue as! DispatchQueue, execute: body)
    }
}

extension WorkItem: ParityItem {
    var wasCancelled: Bool { isCancelled }
    func submit(to queue: any AnyQueue) { (queue as! SerialQueue).async(self) }
    func cancelIt() { cancel() }
    /// Dispatch makes no difference between an item that ran and one that was cancelled.
    func waitForEnd(_ milliseconds: Int?) -> Bool {
        do throws(SerialQueueError) {
            try wait(within: milliseconds.map { .milliseconds($0) })
            return true
        } catch {
            return error == .cancelled
        }
    }
    func onEnd(_ queue: any AnyQueue, _ body: @escaping @Sendable () -> Void) {
        notify(on: queue as! SerialQueue, body)
    }
}

extension Contender {
    func group() -> any ParityGroup {
        switch self {
        case .dispatch: DispatchGroup()
        case .ours: WorkGroup()
        }
    }

    func semaphore(_ value: Int) -> any ParitySemaphore {
        switch self {
        case .dispatch: DispatchSemaphore(value: value)
        case .ours: Semaphore(value: value)
        }
    }

    func item(_ body: @escaping @Sendable () -> Void) -> any ParityItem {
        switch self {
        case .dispatch: DispatchWorkItem(block: body)
        case .ours: WorkItem(body)
        }
    }
}
