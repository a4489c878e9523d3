import Dispatch
import Glibc
import SerialQueue

let made = QueueIsolated(0, on: SerialQueue(label: "com.example.made"))
let consumed = QueueIsolated((items: [Int](), mostWaiting: 0), on: SerialQueue(label: "com.example.consumed"))

/// `run` sends the signal after "ready": then the queue is full, and the producer waits for room.
func begin(_ done: @escaping @Sendable () -> Void) {
    let seen = signals(SIGTERM, SIGINT), (ends, relay) = AsyncStream.makeStream(of: CInt.self), mayContinue = DispatchSemaphore(value: 0)
    Task {
        for await number in seen {
            print(number == SIGTERM ? "SIGTERM" : "another signal")
            relay.yield(number)
            mayContinue.signal()
        }
    }
    Task {
        try await pipeline(until: ends, limit: 4) {
            try await made.run { $0 += 1; return $0 }
        } consume: { item in
            if item == 8 {
                while SerialQueue.current!.depth < 4 { sched_yield() }
                print("ready")
                fflush(nil)
                mayContinue.must()
            }
            let depth = SerialQueue.current!.depth
            consumed.sync {
                $0.items.append(item)
                $0.mostWaiting = max($0.mostWaiting, depth)
            }
        }
        let count = try await made.run { $0 }, (items, mostWaiting) = try await consumed.run { $0 }
        print("consumed all, in order: \(items == Array(1...count)), at most 4 waited: \(mostWaiting <= 4)")
        done()
    }
}
