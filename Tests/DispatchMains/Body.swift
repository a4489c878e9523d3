#if FOUNDATION
import Foundation
#else
import Dispatch
import Glibc
#endif

/// For closures of which the compiler infers that they are on the main actor.
@MainActor func note(_ step: String) {
    dispatchPrecondition(condition: .onQueue(.main))
    MainActor.assertIsolated()
    print(step)
}

/// Closures of the main queue of each kind, from another thread, while the main thread serves that queue.
func closures(_ done: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async {
        let gate = DispatchSemaphore(value: 0), group = DispatchGroup(), child = DispatchQueue(label: "child", target: .main)
        DispatchQueue.main.async { note("async"); gate.signal() }
        gate.must()
        DispatchQueue.main.async(group: group) { note("member") }
        group.wait()
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.001) { note("asyncAfter"); gate.signal() }
        gate.must()
        DispatchQueue.main.sync { note("sync") }
        print("result: \(DispatchQueue.main.sync { MainActor.assumeIsolated { 5 } })")
        DispatchQueue.main.async(execute: DispatchWorkItem { MainActor.assumeIsolated { note("item") }; gate.signal() })
        gate.must()
        group.notify(queue: .main) { MainActor.assumeIsolated { note("notification") }; gate.signal() }
        gate.must()
        child.async { MainActor.assumeIsolated { note("child") }; gate.signal() }
        gate.must()
        sources(gate)
        Task { @MainActor in note("main actor"); gate.signal() }
        gate.must()
        done()
    }
}

private func sources(_ gate: DispatchSemaphore) {
    let timer = DispatchSource.makeTimerSource(queue: .main), data = DispatchSource.makeUserDataAddSource(queue: .main)
    timer.schedule(deadline: .now())
    timer.setEventHandler { MainActor.assumeIsolated { note("timer") }; gate.signal() }
    timer.setCancelHandler { MainActor.assumeIsolated { note("cancelled") }; gate.signal() }
    timer.activate()
    gate.must()
    timer.cancel()
    gate.must()
    data.setEventHandler { MainActor.assumeIsolated { note("data") }; gate.signal() }
    data.activate()
    data.add(data: 1)
    gate.must()
    data.cancel()
}

/// A real signal: `run` sends it after "ready".
func signals(_ done: @escaping @Sendable () -> Void) {
    signal(SIGTERM, SIG_IGN)
    let queue = DispatchQueue(label: "service"), source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: queue)
    nonisolated(unsafe) let kept = source
    source.setEventHandler {
        dispatchPrecondition(condition: .onQueue(queue))
        print("SIGTERM")
        kept.cancel()
        done()
    }
    source.setRegistrationHandler {
        print("ready")
        fflush(nil)
    }
    source.activate()
}

/// The moved example. The planted race may take a piece that is not there.
func shop(_ done: @escaping @Sendable () -> Void) {
    let day = openingDay()
    print("the books are right: \(day.left + day.receipts == 1)")
    done()
}

func begin(_ done: @escaping @Sendable () -> Void) {
    switch CommandLine.arguments[1] {
    case "closures": closures(done)
    case "signals": signals(done)
    default: shop(done)
    }
}
