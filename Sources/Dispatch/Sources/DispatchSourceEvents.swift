import Dispatch

/// Signals of the process: ``DispatchSource/makeSignalSource(signal:queue:)``.
public protocol DispatchSourceSignal: DispatchSourceProtocol {}
/// A descriptor that can be read: ``DispatchSource/makeReadSource(fileDescriptor:queue:)``.
public protocol DispatchSourceRead: DispatchSourceProtocol {}
/// A descriptor that can be written to: ``DispatchSource/makeWriteSource(fileDescriptor:queue:)``.
public protocol DispatchSourceWrite: DispatchSourceProtocol {}

/// Numbers that are added up until the handler runs: ``DispatchSource/makeUserDataAddSource(queue:)``.
public protocol DispatchSourceUserDataAdd: DispatchSourceProtocol {
    /// Adds to the data of the next event.
    func add(data: UInt)
}

/// Bits that are collected until the handler runs: ``DispatchSource/makeUserDataOrSource(queue:)``.
public protocol DispatchSourceUserDataOr: DispatchSourceProtocol {
    /// Sets bits in the data of the next event.
    func or(data: UInt)
}

/// A number of which the handler gets the last value: ``DispatchSource/makeUserDataReplaceSource(queue:)``.
public protocol DispatchSourceUserDataReplace: DispatchSourceProtocol {
    /// Replaces the data of the next event.
    func replace(data: UInt)
}

extension DispatchSourceUserDataAdd {
    /// Adds to the data of the next event.
    public func add(data: UInt) { (self as! DispatchSource).add(data: data) }
}

extension DispatchSourceUserDataOr {
    /// Sets bits in the data of the next event.
    public func or(data: UInt) { (self as! DispatchSource).or(data: data) }
}

extension DispatchSourceUserDataReplace {
    /// Replaces the data of the next event.
    public func replace(data: UInt) { (self as! DispatchSource).replace(data: data) }
}

extension DispatchSource: DispatchSourceSignal, DispatchSourceRead, DispatchSourceWrite, DispatchSourceUserDataAdd, DispatchSourceUserDataOr,
    DispatchSourceUserDataReplace
{
    /// Makes an inactive source for a signal, which must be ignored (`SIG_IGN`).
    public class func makeSignalSource(signal: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceSignal {
        DispatchSource(Dispatch.DispatchSource.makeSignalSource(signal: signal), merging: .add, on: queue)
    }

    /// Makes an inactive source for a descriptor that can be read.
    public class func makeReadSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceRead {
        DispatchSource(Dispatch.DispatchSource.makeReadSource(fileDescriptor: fileDescriptor), on: queue)
    }

    /// Makes an inactive source for a descriptor that can be written to.
    public class func makeWriteSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceWrite {
        DispatchSource(Dispatch.DispatchSource.makeWriteSource(fileDescriptor: fileDescriptor), on: queue)
    }

    /// Makes an inactive source for numbers that are added up.
    public class func makeUserDataAddSource(queue: DispatchQueue? = nil) -> any DispatchSourceUserDataAdd {
        DispatchSource(merging: .add, on: queue)
    }

    /// Makes an inactive source for bits that are collected.
    public class func makeUserDataOrSource(queue: DispatchQueue? = nil) -> any DispatchSourceUserDataOr {
        DispatchSource(merging: .or, on: queue)
    }

    /// Makes an inactive source for a number of which the last value counts.
    public class func makeUserDataReplaceSource(queue: DispatchQueue? = nil) -> any DispatchSourceUserDataReplace {
        DispatchSource(merging: .replace, on: queue)
    }

    /// Adds to the data of the next event.
    public func add(data: UInt) { add(next: data) }
    /// Sets bits in the data of the next event.
    public func or(data: UInt) { add(next: data) }
    /// Replaces the data of the next event.
    public func replace(data: UInt) { add(next: data) }
}
