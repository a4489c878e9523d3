import Dispatch

extension DispatchSemaphore {
    /// Waits for what must come.
    func must() {
        if wait(timeout: .now() + 30) == .timedOut { fatalError("hangs") }
    }
}
