import Dispatch
import Glibc
import SerialQueue

/// The signals that the process gets from now on, instead of being ended by them.
func signals(_ numbers: CInt...) -> AsyncStream<CInt> {
    AsyncStream { continuation in
        nonisolated(unsafe) let sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number), registered = Semaphore(value: 0)
            source.setRegistrationHandler { registered.signal() }
            source.setEventHandler { continuation.yield(number) }
            source.activate()
            registered.wait()
            return source
        }
        continuation.onTermination = { _ in sources.forEach { $0.cancel() } }
    }
}
