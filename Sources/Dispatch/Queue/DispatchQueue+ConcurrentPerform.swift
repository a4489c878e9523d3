import Dispatch
import SerialQueue

extension DispatchQueue {
    /// Calls `work` for each number below `iterations`, several at the same time, and returns when all have returned.
    ///
    /// The caller runs iterations itself. For those on other threads no queue is current.
    public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {
        guard iterations >= 0 else { iterationsAreNegative(iterations) }
        withoutActuallyEscaping(work) { work in
            // Dispatch does not demand @Sendable either: what the iterations share is the caller's matter.
            (Home.current.manual ?? .shared).apply(iterations, uncheckedSendable(work))
        }
    }
}
