import Dispatch

extension DispatchQueue {
    /// Sets or removes the value of this queue under a key.
    public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {
        Specifics.set(key, value, of: self)
    }

    /// The value of this queue under a key. Its targets are not asked.
    public func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
        Specifics.get(key, of: self)
    }

    /// The value of the queue that the caller runs on, or of the first of its targets that has one.
    public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
        Specifics.getCurrent(key)
    }

    /// The last of the targets; this queue if it has none.
    var root: DispatchQueue {
        target?.root ?? self
    }

    /// How many targets it has.
    var depth: Int {
        target.map { $0.depth + 1 } ?? 0
    }
}
