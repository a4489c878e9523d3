#if FOUNDATION
import Foundation
#else
import Dispatch
import Glibc
#endif

@main struct App {
    static func main() async throws {
        try await Task.sleep(nanoseconds: 20_000_000)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            begin { continuation.resume() }
        }
    }
}
