#if FOUNDATION
import Foundation
#else
import Dispatch
import Glibc
#endif
import SerialQueue

let service = SerialQueue(label: "com.example.service")
nonisolated(unsafe) var source: (any DispatchSourceSignal)?  // set before the signal comes

/// `run` sends the signal after "ready".
func begin(_ done: @escaping @Sendable () -> Void) {
    source = onSignal(SIGTERM, queue: service) {
        print("SIGTERM on \(SerialQueue.current?.label ?? "no queue")")
        done()
    }
    print("ready")
    fflush(nil)
}
