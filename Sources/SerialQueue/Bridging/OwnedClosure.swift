// OwnedClosure.swift: closures that get the value of an object, through C, in one allocation.

import CSerialQueue
import CSerialQueue.Private

/// A closure that waits for its turn, with the object whose value it gets.
class OwnedClosure {
    func run() {}

    /// Submits the closure, with the caller's reference. If C refused it, releases it and returns false.
    static func submit(
        _ closure: Unmanaged<OwnedClosure>, _ code: UnsafeMutableRawPointer, to queue: WorkQueue, asBarrier isBarrier: Bool = false,
        from caller: UnsafeRawPointer
    ) -> Bool {
        var call = sq__pair_call_t(
            call: { _, closure, runs in
                let closure = Unmanaged<OwnedClosure>.fromOpaque(closure!).takeRetainedValue()
                if runs { closure.run() }
            }, first: code, second: closure.toOpaque(), deadline: 0, is_barrier: isBarrier, site: caller)
        let status = withExtendedLifetime(queue) { sq__async_pair(queue.queue, &call) }
        if status != 0 { closure.release() }
        return status == 0
    }
}
