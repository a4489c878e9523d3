import Dispatch

/// A kind of queue.
struct Kind {
    let name: String
    var isSerial = false
    var isGlobal = false
    /// Whether the main thread must serve it.
    var isMain = false
    let make: @Sendable (DispatchQueue.Attributes) -> DispatchQueue
}

let kinds: [Kind] = [
    Kind(name: "serial", isSerial: true) { DispatchQueue(label: "serial", attributes: $0) },
    Kind(name: "concurrent") { DispatchQueue(label: "concurrent", attributes: $0.union(.concurrent)) },
    Kind(name: "global", isGlobal: true) { _ in .global() },
    Kind(name: "serial-on-global", isSerial: true) { DispatchQueue(label: "s", attributes: $0, target: .global(qos: .utility)) },
    Kind(name: "serial-on-serial", isSerial: true) {
        DispatchQueue(label: "s", attributes: $0, target: DispatchQueue(label: "target"))
    },
    Kind(name: "concurrent-on-serial", isSerial: true) {
        DispatchQueue(label: "c", attributes: $0.union(.concurrent), target: DispatchQueue(label: "target"))
    },
    Kind(name: "serial-on-concurrent", isSerial: true) {
        DispatchQueue(label: "s", attributes: $0, target: DispatchQueue(label: "target", attributes: .concurrent))
    },
    Kind(name: "concurrent-on-concurrent") {
        DispatchQueue(label: "c", attributes: $0.union(.concurrent), target: DispatchQueue(label: "target", attributes: .concurrent))
    },
    Kind(name: "serial-on-concurrent-on-concurrent", isSerial: true) {
        let middle = DispatchQueue(label: "middle", attributes: .concurrent, target: DispatchQueue(label: "target", attributes: .concurrent))
        return DispatchQueue(label: "s", attributes: $0, target: middle)
    },
    Kind(name: "main", isSerial: true, isMain: true) { _ in .main },
    Kind(name: "serial-on-main", isSerial: true, isMain: true) { DispatchQueue(label: "s", attributes: $0, target: .main) },
]

let marker = DispatchSpecificKey<String>()

/// A state of a queue in which a call is made.
struct State: Sendable {
    let name: String
    /// Returns what happened; `nil`: the call makes no sense there.
    let run: @Sendable (Kind, Call) -> String?
}

/// The closure of the call: notes that it runs, and what it finds there.
private func probe(_ queue: DispatchQueue, _ log: Log, _ done: DispatchSemaphore, _ kind: Kind) -> @Sendable () -> Void {
    { [weak queue] in
        var found = DispatchQueue.getSpecific(key: marker) ?? "none"
        if kind.isGlobal { found = "-" }
        if let queue { dispatchPrecondition(condition: .onQueue(queue)) }
        log.add("call(\(found))")
        done.signal()
    }
}

private func made(_ kind: Kind, _ attributes: DispatchQueue.Attributes = []) -> DispatchQueue {
    let queue = kind.make(attributes)
    if !kind.isGlobal { queue.setSpecific(key: marker, value: "mine") }
    return queue
}

let states: [State] = [
    State(name: "idle") { kind, call in
        let (queue, log, done) = (made(kind), Log(), DispatchSemaphore(value: 0))
        call.make(queue, probe(queue, log, done, kind))
        if call.waits { log.add("returned") }
        done.must()
        return log.text
    },
    State(name: "between") { kind, call in
        let (queue, log, done, gate) = (made(kind), Log(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.async {
            gate.must()
            log.add("before")
            done.signal()
        }
        if call.waits {
            // For a sync that waits: the first closure ends meanwhile.
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.002) { gate.signal() }
        }
        call.make(queue, probe(queue, log, done, kind))
        queue.async {
            log.add("after")
            done.signal()
        }
        if !call.waits { gate.signal() }
        for _ in 0..<3 { done.must() }
        let isOrdered = (kind.isSerial || (call.isBarrier && !kind.isGlobal)) && !call.isLate
        return isOrdered ? log.text : log.sorted
    },
    State(name: "suspended") { kind, call in
        if kind.isGlobal { return nil }
        let (queue, log, done) = (made(kind), Log(), DispatchSemaphore(value: 0))
        queue.suspend()
        queue.suspend()
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) {
            log.add("resumed")
            queue.resume()
            queue.resume()
        }
        call.make(queue, probe(queue, log, done, kind))
        done.must()
        return log.text
    },
    State(name: "inactive") { kind, call in
        if kind.isGlobal { return nil }
        let (queue, log, done) = (made(kind, .initiallyInactive), Log(), DispatchSemaphore(value: 0))
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) {
            log.add("activated")
            queue.activate()
            queue.activate()
        }
        call.make(queue, probe(queue, log, done, kind))
        done.must()
        return log.text
    },
    State(name: "from-another") { kind, call in
        let (queue, log, done) = (made(kind), Log(), DispatchSemaphore(value: 0))
        let other = DispatchQueue(label: "other")
        other.setSpecific(key: marker, value: "other")
        other.async { call.make(queue, probe(queue, log, done, kind)) }
        done.must()
        return log.text
    },
    State(name: "from-itself") { kind, call in
        // A sync there waits for itself: a cell of its own.
        if call.waits { return nil }
        let (queue, log, done) = (made(kind), Log(), DispatchSemaphore(value: 0))
        queue.async {
            call.make(queue, probe(queue, log, done, kind))
            if kind.isSerial { log.add("still") }
        }
        done.must()
        return log.text
    },
    State(name: "released") { kind, call in
        if call.waits || kind.isGlobal { return nil }
        let (log, done) = (Log(), DispatchSemaphore(value: 0))
        call.make(made(kind)) {
            log.add("call(\(DispatchQueue.getSpecific(key: marker) ?? "none"))")
            done.signal()
        }
        done.must()
        return log.text
    },
]

let matrix: [Cell] = kinds.flatMap { kind in
    states.flatMap { state in
        calls.compactMap { call in
            // Whether there is such a cell is known without running it.
            if kind.isGlobal && ["suspended", "inactive", "released"].contains(state.name) { return nil }
            if call.waits && ["from-itself", "released"].contains(state.name) { return nil }
            if kind.name == "main" && ["suspended", "inactive", "released"].contains(state.name) { return nil }
            return Cell(name: "\(kind.name)/\(state.name)/\(call.name)", run: { state.run(kind, call) ?? "-" }, needsMain: kind.isMain)
        }
    }
}
