#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A thread of the system. Foundation's would need all of Foundation.
struct Thread {
    private let thread: pthread_t

    init(_ body: @escaping @Sendable () -> Void) {
        final class Box {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var thread = pthread_t()
        let status = pthread_create(&thread, nil, {
            Unmanaged<Box>.fromOpaque($0!).takeRetainedValue().body()
            return nil
        }, Unmanaged.passRetained(Box(body)).toOpaque())
        precondition(status == 0, "no thread could be started")
        self.thread = thread
    }

    func join() { pthread_join(thread, nil) }
}

func milliseconds(_ duration: Duration) -> Int {
    Int(duration / .milliseconds(1))
}
