// A library for Dispatch, with its types in the public interface. It has moved: the file Moved.swift, whose type aliases are public, and
// the second import here, because default arguments and inlinable code are compiled into the clients.
import Dispatch
import SerialQueueDispatch

public protocol StoreDelegate: AnyObject, Sendable {
    var queue: DispatchQueue { get }
    func changed(_ key: String)
}

public final class Store: @unchecked Sendable {
    public let queue: DispatchQueue
    public weak var delegate: (any StoreDelegate)?
    private var values: [String: Int] = [:]

    public init(queue: DispatchQueue = DispatchQueue(label: "com.example.store")) {
        self.queue = queue
    }

    public func set(_ key: String, _ value: Int, in group: DispatchGroup? = nil) {
        queue.async(group: group) {
            self.values[key] = value
            guard let delegate = self.delegate else { return }
            delegate.queue.async(group: group) { delegate.changed(key) }
        }
    }

    public func value(_ key: String, on reply: DispatchQueue = .global(), in group: DispatchGroup, _ then: @escaping @Sendable (Int?) -> Void) {
        queue.async(group: group) {
            let value = self.values[key]
            reply.async(group: group) { then(value) }
        }
    }

    @inlinable
    public func exclusively<T>(_ work: () throws -> T) rethrows -> T {
        try queue.sync(execute: work)
    }
}

extension DispatchQueue {
    public func twice(in group: DispatchGroup, _ work: @escaping @Sendable () -> Void) {
        for _ in 0..<2 { async(group: group, execute: work) }
    }
}
