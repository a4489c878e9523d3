import Foundation

/// A run loop of the main thread serves the main queue, timers and the main actor.
@main struct RunLoops {
    static func main() {
        nonisolated(unsafe) var count = 0
        DispatchQueue.main.async { count += 1 }
        DispatchQueue(label: "child", target: .main).async { count += 1 }
        RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.2))
        print("until: \(count)")
        DispatchQueue.global().async {
            DispatchQueue.main.async {
                print("on the main thread: \(Thread.isMainThread)")
                DispatchQueue.main.asyncAfter(deadline: .now() + 0.05) {
                    MainActor.assumeIsolated { print("isolated") }
                    again()
                    Task { @MainActor in
                        print("main actor runs")
                        startTimer()
                    }
                }
            }
        }
        RunLoop.main.run()
    }

    /// Not in an async function, where it is not available.
    @MainActor static func startTimer() {
        Timer.scheduledTimer(withTimeInterval: 0.01, repeats: false) { _ in
            print("timer fires")
            exit(0)
        }
    }

    /// Never idle.
    @Sendable static func again() {
        DispatchQueue.main.async { again() }
    }
}
