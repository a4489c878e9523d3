#if FOUNDATION
import Foundation
#endif

@main struct Main {
    static func main() async throws {
        #if FOUNDATION
        print("started: \(Date.now > .distantPast)")
        #endif
        try await Task.sleep(nanoseconds: 20_000_000)
        begin()
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}
