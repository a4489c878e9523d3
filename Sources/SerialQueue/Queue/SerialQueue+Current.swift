extension SerialQueue {
    /// The queue of the innermost closure that this thread is running; `nil` if there is none, or if it is a ``ConcurrentQueue``
    /// (of a width above 1).
    ///
    /// Compare it with `==`, not `===`: the result is another handle of the same queue. The handle through which the closure was
    /// submitted may already have been released.
    public static var current: SerialQueue? {
        innermost as? SerialQueue
    }
}
