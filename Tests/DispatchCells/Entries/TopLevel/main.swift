#if FOUNDATION
import Foundation

print("started: \(Date.now > .distantPast)")
#endif

try await Task.sleep(nanoseconds: 20_000_000)
begin()
await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
