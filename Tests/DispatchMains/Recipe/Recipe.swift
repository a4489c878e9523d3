import Dispatch
import Glibc
import SerialQueue

/// Runs `body` on `queue` each time that the process gets the signal, until the result is cancelled or released.
func onSignal(_ number: CInt, queue: SerialQueue, _ body: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number), registered = Semaphore(value: 0)
    source.setRegistrationHandler { registered.signal() }
    source.setEventHandler { queue.async(body) }
    source.activate()
    registered.wait()
    return source
}
