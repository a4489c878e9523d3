import Dispatch
import Glibc
#if canImport(SerialQueue)
import SerialQueue
typealias OwnQueue = SerialQueue
#else
typealias OwnQueue = DispatchQueue
#endif

/// Without Foundation the main thread serves nothing after this: the main queue and the main actor exclude each other all the same.
@main struct AsyncMain {
    nonisolated(unsafe) static var busy = 0, both = 0, count = 0

    @Sendable static func work() {
        busy += 1
        if busy > 1 { both += 1 }
        usleep(1_000)
        busy -= 1
        count += 1
    }

    static func main() async {
        let group = DispatchGroup()
        for _ in 0..<100 {
            group.enter()
            DispatchQueue.main.async { work(); group.leave() }
            group.enter()
            Task { @MainActor in work(); group.leave() }
            try? await Task.sleep(nanoseconds: 500_000)
        }
        // Sendable: else it belongs to the main actor, and ThreadSanitizer has Swift check that, with Dispatch, too.
        await withCheckedContinuation { continuation in group.notify(queue: .global()) { @Sendable in continuation.resume() } }
        print("\(count) pieces of work, \(both) at the same time")
        let child = DispatchQueue(label: "child", target: .main), key = DispatchSpecificKey<Int>()
        DispatchQueue.main.setSpecific(key: key, value: 1)
        await withCheckedContinuation { continuation in
            child.async {
                dispatchPrecondition(condition: .onQueue(.main))
                print("child finds \(DispatchQueue.getSpecific(key: key) ?? 0)")
                continuation.resume()
            }
        }
        await MainActor.run {
            dispatchPrecondition(condition: .onQueue(.main))
            print("main actor finds \(DispatchQueue.getSpecific(key: key) ?? 0)")
        }
        // Queues that have a thread each, in SerialQueue, and give it up when they rest.
        let others = (0..<4).map { OwnQueue(label: "\($0)") }, gate = DispatchSemaphore(value: 0)
        for other in others { other.async {} }
        try? await Task.sleep(nanoseconds: 100_000_000)
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        try? await Task.sleep(nanoseconds: 1_000_000_000)
        for other in others { other.async { gate.wait() } }
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
        for _ in others { gate.signal() }
        print("after a rest")
        let answer = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: DispatchQueue.main.sync { 5 }) }
        }
        print("sync from elsewhere: \(answer)")
    }
}
