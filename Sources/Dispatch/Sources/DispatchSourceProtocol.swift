import Dispatch

/// A closure that a source calls.
public typealias DispatchSourceHandler = () -> Void

/// What sources have in common.
///
/// Each requirement has a default, for a `DispatchSource`; a class or a struct of a program, as one for tests, has its own.
public protocol DispatchSourceProtocol {
    /// Sets what runs when the source fires.
    func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
    /// Sets an item that runs when the source fires.
    func setEventHandler(handler: DispatchWorkItem)
    /// Sets what runs after the cancellation.
    func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
    /// Sets an item that runs after the cancellation.
    func setCancelHandler(handler: DispatchWorkItem)
    /// Sets what runs when the source is first activated.
    func setRegistrationHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: DispatchSourceHandler?)
    /// Sets an item that runs when the source is first activated.
    func setRegistrationHandler(handler: DispatchWorkItem)
    /// Cancels the source: no event handler starts any more; the cancel handler runs on the queue.
    func cancel()
    /// Balances one `suspend()`, or activates the source.
    func resume()
    /// Prevents handlers from starting.
    func suspend()
    /// Starts the source.
    func activate()
    /// The descriptor or the number of the signal; 0 for others.
    var handle: UInt { get }
    /// Always 0 for a timer.
    var mask: UInt { get }
    /// What the running event handler is for: how many intervals, how many signals, how many bytes, or the data that was added.
    var data: UInt { get }
    /// Whether `cancel()` was called.
    var isCancelled: Bool { get }
}

extension DispatchSourceProtocol {
    /// Sets what runs when the source fires.
    public func setEventHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?
    ) {
        (self as! DispatchSource).set(.event, handler)
    }
    /// Sets an item that runs when the source fires.
    public func setEventHandler(handler: DispatchWorkItem) {
        (self as! DispatchSource).set(.event) { handler.perform() }
    }
    /// Sets what runs after the cancellation.
    public func setCancelHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?
    ) {
        (self as! DispatchSource).set(.cancel, handler)
    }
    /// Sets an item that runs after the cancellation.
    public func setCancelHandler(handler: DispatchWorkItem) {
        (self as! DispatchSource).set(.cancel) { handler.perform() }
    }
    /// Sets what runs when the source is first activated.
    public func setRegistrationHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: DispatchSourceHandler?
    ) {
        (self as! DispatchSource).set(.registration, handler)
    }
    /// Sets an item that runs when the source is first activated.
    public func setRegistrationHandler(handler: DispatchWorkItem) {
        (self as! DispatchSource).set(.registration) { handler.perform() }
    }
    /// Cancels the source: no event handler starts any more; the cancel handler runs on the queue.
    public func cancel() { (self as! DispatchSource).cancel() }
    /// Balances one `suspend()`, or activates the source.
    public func resume() { (self as! DispatchSource).resume() }
    /// Prevents handlers from starting.
    public func suspend() { (self as! DispatchSource).suspend() }
    /// Starts the source.
    public func activate() { (self as! DispatchSource).activate() }
    /// The descriptor or the number of the signal; 0 for others.
    public var handle: UInt { (self as! DispatchSource).handle }
    /// Always 0 for a timer.
    public var mask: UInt { (self as! DispatchSource).mask }
    /// What the running event handler is for: how many intervals, how many signals, how many bytes, or the data that was added.
    public var data: UInt { (self as! DispatchSource).data }
    /// Whether `cancel()` was called.
    public var isCancelled: Bool { (self as! DispatchSource).isCancelled }
}
