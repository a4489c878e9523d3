#if FOUNDATION
import Foundation
#else
import Dispatch
import Glibc
#endif
import SerialQueue

/// `run` sends the signal after "ready". Work that was accepted before it runs after it.
func begin(_ done: @escaping @Sendable () -> Void) {
    let ends = signals(SIGTERM, SIGINT), queue = SerialQueue(label: "com.example.server")
    queue.suspend()
    queue.async { print("accepted work") }
    print("ready")
    fflush(nil)
    Task {
        for await number in ends {
            print(number == SIGTERM ? "SIGTERM" : "another signal")
            break
        }
        queue.resume()
        try await queue.shutdown(.drain, within: .seconds(30))
        print("accepts more: \(queue.async {})")
        done()
    }
}
