#if FOUNDATION
import Foundation
#else
import Dispatch
import Glibc
#endif

// After the first await the main thread is gone.
try await Task.sleep(nanoseconds: 20_000_000)
await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
    begin { continuation.resume() }
}
