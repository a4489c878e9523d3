import Dispatch
import SerialQueue

extension DispatchQueue {
    /// Submits a closure and returns at once.
    ///
    /// - Parameters:
    ///   - group: Has the closure as a member until it has run.
    ///   - qos: Without an effect: the class is that of the queue.
    ///   - flags: `.barrier` on a concurrent queue: runs alone.
    ///   - work: What to run.
    public func async(
        group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: consuming @escaping @Sendable () -> Void
    ) {
        submit(in: group?.group, flags, consume work)
    }

    /// The signature of Dispatch, for protocols that have it as a requirement.
    @_disfavoredOverload
    public func async(
        group: DispatchGroup?, qos: DispatchQoS, flags: DispatchWorkItemFlags,
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) {
        submit(in: group?.group, flags, work)
    }

    /// Submits an item.
    public func async(execute workItem: DispatchWorkItem) {
        nonisolated(unsafe) let item = workItem
        submit(in: item.joined, item.flags, { item.perform() })
    }

    /// Submits an item as a member of the group.
    public func async(group: DispatchGroup, execute workItem: DispatchWorkItem) {
        nonisolated(unsafe) let item = workItem
        submit(in: group.group, item.flags, { item.perform() })
    }

    @inline(__always)
    private func submit(
        in group: WorkGroup?, _ flags: DispatchWorkItemFlags, _ work: consuming @escaping @Sendable () -> Void
    ) {
        let body = enclosed(consume work)
        let accepted =
            switch (group, barriers(flags)) {
            case (nil, nil): queue.async(body)
            case (let group?, nil): queue.async(in: group, body)
            case (nil, let queue?): queue.asyncBarrier(body)
            case (let group?, let queue?): queue.asyncBarrier(in: group, body)
            }
        guard accepted else { refused("async", label) }
    }
}
