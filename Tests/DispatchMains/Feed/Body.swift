import Dispatch
import Glibc
import SerialQueue

/// `run` sends the signal after "ready": then three elements are accepted, and none is made.
func begin(_ done: @escaping @Sendable () -> Void) {
    let ends = signals(SIGTERM, SIGINT), feed = Feed<Int>(label: "com.example.sensor"), mayMake = DispatchSemaphore(value: 0)
    for number in 1...3 {
        feed.add {
            if number == 1 { mayMake.must() }
            return number
        }
    }
    let reader = Task {
        var sum = 0
        for try await number in feed.elements { sum = sum * 10 + number }
        return sum
    }
    print("ready")
    fflush(nil)
    Task {
        for await _ in ends { break }
        print("SIGTERM")
        mayMake.signal()
        await feed.finish()
        print("read \(try await reader.value), accepts more: \(feed.add { 4 })")
        done()
    }
}
