import Dispatch
import Glibc

/// Sources in their states: timers on a busy queue, and the others.
let sources: [Cell] = [
    Cell(name: "timer/cancelled-on-its-busy-queue") {
        onBusyQueue { $0.cancel() }
    },
    Cell(name: "timer/suspended-on-its-busy-queue") {
        onBusyQueue { $0.suspend() }
    },
    Cell(name: "timer/data-after-a-busy-time") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), t = DispatchSource.makeTimerSource(queue: q)
        t.setEventHandler { log.add(t.data > 5 ? "many" : "few"); t.cancel(); done.signal() }
        t.schedule(deadline: .now(), repeating: .milliseconds(5))
        q.sync { t.resume(); usleep(100_000) }
        done.must(); q.sync {}
        return log.text
    },
    Cell(name: "timer/start-that-has-passed") {
        // A busy machine may be late: then the cell is tried again. A firing out of phase is late each time.
        var text = ""
        for _ in 0..<10 where text.isEmpty || text.contains("late") {
            let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), t = DispatchSource.makeTimerSource(queue: q)
            let start = DispatchTime.now()
            // Between two firings: the next one comes in 0.1 seconds, and not in 0.2.
            t.schedule(deadline: start - 0.9, repeating: 0.2)
            t.setEventHandler { log.add("\(t.data)"); log.add(DispatchTime.now() < start + 0.19 ? "soon" : "late"); if log.count == 4 { t.cancel(); done.signal() } }
            t.resume(); done.must(); q.sync {}
            text = log.text
        }
        return text
    },
    Cell(name: "timer/resumed-late") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), t = DispatchSource.makeTimerSource(queue: q)
        t.schedule(deadline: .now(), repeating: 0.2)
        t.setEventHandler { log.add("\(t.data)"); t.cancel(); done.signal() }
        usleep(500_000); t.resume(); done.must(); q.sync {}
        return log.text
    },
    Cell(name: "timer/once-that-has-passed") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), t = DispatchSource.makeTimerSource(queue: q)
        t.schedule(wallDeadline: .now() - 5); t.setEventHandler { log.add("\(t.data)"); done.signal() }; t.resume(); done.must(); t.cancel()
        return log.text
    },
    Cell(name: "timer/registration-after-cancel") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), t = DispatchSource.makeTimerSource(queue: q)
        t.setRegistrationHandler { log.add("registered") }
        t.setCancelHandler { log.add("cancelled"); done.signal() }
        t.schedule(deadline: .now() + 1); t.cancel(); t.resume(); done.must()
        return log.text
    },
    Cell(name: "timer/registration-late") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), t = DispatchSource.makeTimerSource(queue: q)
        t.schedule(deadline: .distantFuture); t.resume(); usleep(5_000); q.sync {}
        t.setRegistrationHandler { log.add("registered"); done.signal() }
        done.must(); t.cancel()
        return log.text
    },
    Cell(name: "timer/set-target") {
        let q = DispatchQueue(label: "q"), r = DispatchQueue(label: "r"), t = DispatchSource.makeTimerSource(queue: q), done = DispatchSemaphore(value: 0)
        (t as! DispatchSource).setTarget(queue: r)
        t.setEventHandler { dispatchPrecondition(condition: .onQueue(r)); done.signal() }
        t.schedule(deadline: .now()); t.resume(); done.must(); t.cancel()
        return "on target"
    },
    Cell(name: "timer/handler-after-end") {
        let q = DispatchQueue(label: "q"), t = DispatchSource.makeTimerSource(queue: q), log = Log(), done = DispatchSemaphore(value: 0)
        t.setCancelHandler { done.signal() }
        t.schedule(deadline: .distantFuture); t.resume(); t.cancel(); done.must()
        q.sync {}
        do { let token = Token { log.add("released"); done.signal() }; t.setEventHandler { withExtendedLifetime(token) {} } }
        _ = done.wait(timeout: .now() + 1)
        withExtendedLifetime(t) { log.add("end") }
        return log.text
    },
    Cell(name: "timer/captures-after-cancel") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0)
        do {
            let token = Token { log.add("released"); done.signal() }
            let t = DispatchSource.makeTimerSource(queue: q)
            t.setEventHandler { withExtendedLifetime(token) {} }
            t.schedule(deadline: .distantFuture); t.resume(); t.cancel()
        }
        done.must()
        return log.text
    },
    Cell(name: "timer/released") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0)
        do {
            let token = Token { log.add("released"); done.signal() }
            let t = DispatchSource.makeTimerSource(queue: q)
            t.setEventHandler { withExtendedLifetime(token) {}; log.add("fired") }
            t.schedule(deadline: .now() + 0.02); t.resume(); usleep(5_000)
        }
        done.must(); usleep(30_000); q.sync {}
        return log.text
    },
    Cell(name: "timer/deprecated-names") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0)
        let once = DispatchSource.makeTimerSource(queue: q), twice = DispatchSource.makeTimerSource(queue: q)
        once.setEventHandler { log.add("once"); done.signal() }
        twice.setEventHandler { log.add("again"); done.signal(); if log.count >= 3 { twice.cancel() } }
        once.scheduleOneshot(deadline: .now()); once.resume(); done.must()
        twice.scheduleRepeating(deadline: .now(), interval: .milliseconds(2)); twice.resume(); done.must(); done.must()
        once.scheduleOneshot(wallDeadline: .now() + 9); once.cancel()
        return log.text
    },
    Cell(name: "source/signal") {
        signal(SIGUSR1, SIG_IGN)
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), s = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: q)
        s.setEventHandler { dispatchPrecondition(condition: .onQueue(q)); log.add("\(s.data) of \(s.handle == UInt(SIGUSR1))"); done.signal() }
        s.setRegistrationHandler { log.add("registered"); done.signal() }
        s.setCancelHandler { log.add("cancelled"); done.signal() }
        s.resume(); done.must()
        kill(getpid(), SIGUSR1); done.must()
        kill(getpid(), SIGUSR1); done.must()
        s.cancel(); done.must()
        return log.text
    },
    Cell(name: "source/read") {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let (input, output) = (ends[0], ends[1])
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), s = DispatchSource.makeReadSource(fileDescriptor: input, queue: q)
        s.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 16)
            log.add("\(s.data) \(read(input, &bytes, 16))")
            done.signal()
        }
        s.setCancelHandler { close(input); log.add("closed"); done.signal() }
        s.activate()
        for count in 1...3 { write(output, "abc", count); done.must() }
        s.cancel(); done.must()
        close(output)
        return log.text
    },
    Cell(name: "source/read-suspended") {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let input = ends[0], q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0)
        let s = DispatchSource.makeReadSource(fileDescriptor: input, queue: q)
        s.setEventHandler { var byte: UInt8 = 0; read(input, &byte, 1); log.add("read"); done.signal() }
        s.activate(); s.suspend()
        write(ends[1], "a", 1); usleep(10_000); log.add("resumed")
        s.resume(); done.must(); s.cancel()
        return log.text
    },
    Cell(name: "source/write") {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), s = DispatchSource.makeWriteSource(fileDescriptor: ends[1], queue: q)
        s.setEventHandler { log.add("writable"); s.cancel() }
        s.setCancelHandler { log.add("cancelled"); done.signal() }
        s.resume(); done.must()
        return log.text
    },
    Cell(name: "source/add") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), s = DispatchSource.makeUserDataAddSource(queue: q)
        s.setEventHandler { log.add("\(s.data)"); done.signal() }
        s.activate(); s.suspend(); s.add(data: 2); s.add(data: 3); s.resume(); done.must()
        s.add(data: 4); done.must(); s.cancel()
        return log.text
    },
    Cell(name: "source/add-while-the-queue-is-busy") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), gate = DispatchSemaphore(value: 0)
        let s = DispatchSource.makeUserDataAddSource(queue: q)
        s.setEventHandler { log.add("\(s.data)"); done.signal() }
        s.activate()
        q.async { gate.wait() }
        s.add(data: 1); s.suspend(); s.add(data: 2); s.resume(); s.add(data: 3); gate.signal(); done.must()
        q.sync {}
        s.cancel()
        return log.text
    },
    Cell(name: "source/or") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), s = DispatchSource.makeUserDataOrSource(queue: q)
        s.setEventHandler { log.add("\(s.data)"); done.signal() }
        s.or(data: 1); s.or(data: 3); s.activate(); done.must(); s.cancel()
        return log.text
    },
    Cell(name: "source/replace") {
        let q = DispatchQueue(label: "q"), log = Log(), done = DispatchSemaphore(value: 0), s = DispatchSource.makeUserDataReplaceSource(queue: q)
        s.setEventHandler { log.add("\(s.data)"); done.signal() }
        s.replace(data: 1); s.replace(data: 9); s.activate(); done.must(); s.cancel()
        return log.text
    },
    Cell(name: "source/types") {
        let all: [DispatchSourceProtocol] = [
            DispatchSource.makeSignalSource(signal: SIGUSR2, queue: .main) as DispatchSourceSignal, DispatchSource.makeTimerSource() as DispatchSourceTimer,
            DispatchSource.makeReadSource(fileDescriptor: 0) as DispatchSourceRead, DispatchSource.makeWriteSource(fileDescriptor: 1) as DispatchSourceWrite,
            DispatchSource.makeUserDataAddSource() as DispatchSourceUserDataAdd, DispatchSource.makeUserDataOrSource() as DispatchSourceUserDataOr,
            DispatchSource.makeUserDataReplaceSource() as DispatchSourceUserDataReplace,
        ]
        for source in all { source.cancel(); source.activate() }
        return "\(all.count)"
    },
    Cell(name: "source/of-the-program") {
        let own = OwnSource(log: Log()), source: DispatchSourceTimer = own
        source.resume(); source.cancel()
        return own.log.text
    },
    Cell(name: "ends/release-inactive-read-source", run: { do { _ = DispatchSource.makeReadSource(fileDescriptor: 0) }; return "went through" }, isAlone: true),
    Cell(name: "after/distant-future-releases") {
        let log = Log(), done = DispatchSemaphore(value: 0)
        do { let token = Token { log.add("released"); done.signal() }; DispatchQueue(label: "q").asyncAfter(deadline: .distantFuture) { withExtendedLifetime(token) {} } }
        return "\(done.wait(timeout: .now() + 1)) \(log.text)"
    },
    Cell(name: "semaphore/signals-that-wake") {
        let s = DispatchSemaphore(value: 0), g = DispatchGroup()
        for _ in 0..<4 { DispatchQueue.global().async(group: g) { s.wait() } }
        var signals = 0, woken = 0, left = 0
        while g.wait(timeout: .now() + 0.02) == .timedOut {
            var more = true
            while more { more = s.signal() != 0; signals += 1; woken += more ? 1 : 0 }
        }
        while s.wait(timeout: .now()) == .success { left += 1 }
        // Each wait took one, and none was woken twice.
        return "\(woken <= 4) \(signals - left)"
    },
    Cell(name: "semaphore/timed-out-then-signalled") {
        let s = DispatchSemaphore(value: 0)
        return "\(s.wait(timeout: .now() + 0.01)) \(s.signal()) \(s.wait(timeout: .now()))"
    },
    Cell(name: "ends/item-waited-for-after-perform-while-pending", run: {
        let q = DispatchQueue(label: "q"), i = DispatchWorkItem {}
        q.suspend(); q.async(execute: i); i.perform()
        print(i.wait(timeout: .now() + 0.01))
        withExtendedLifetime(q) { finish() }  // a second run would end the process
    }, isAlone: true),
    Cell(name: "item/notifies-after-perform-while-pending") {
        let q = DispatchQueue(label: "q"), r = DispatchQueue(label: "r"), log = Log(), i = DispatchWorkItem {}
        q.suspend(); q.async(execute: i); i.perform()
        i.notify(queue: r) { log.add("notified") }; r.sync {}
        q.resume()
        return log.text
    },
    Cell(name: "item/notification-before-perform-while-pending") {
        let q = DispatchQueue(label: "q"), r = DispatchQueue(label: "r"), log = Log(), i = DispatchWorkItem {}
        i.notify(queue: r) { log.add("notified") }
        q.suspend(); q.async(execute: i); i.perform(); r.sync {}
        log.add("resumed"); q.resume(); q.sync {}; r.sync {}
        return log.text
    },
    Cell(name: "item/performed-while-pending-notifies") {
        let q = DispatchQueue(label: "q"), done = DispatchSemaphore(value: 0), i = DispatchWorkItem {}
        i.notify(queue: q) { done.signal() }
        q.suspend(); q.async(execute: i); i.perform(); q.resume()
        return "\(done.wait(timeout: .now() + 5))"
    },
]

/// As in a test of a program. It has what is called.
private struct OwnSource: DispatchSourceTimer {
    let log: Log
    func resume() { log.add("resumed") }
    func cancel() { log.add("cancelled") }
}

/// The timer falls due while its queue is busy with a closure that then does `act`.
private func onBusyQueue(_ act: @escaping (DispatchSourceTimer) -> Void) -> String {
    let q = DispatchQueue(label: "q"), log = Log(), fired = DispatchSemaphore(value: 0), t = DispatchSource.makeTimerSource(queue: q)
    t.setEventHandler { log.add("fired"); fired.signal() }
    t.setCancelHandler { log.add("cancelled") }
    t.schedule(deadline: .now() + 0.005)
    q.sync { t.resume(); usleep(30_000); log.add("acts"); act(t) }
    usleep(20_000); q.sync {}
    if !t.isCancelled { t.resume(); fired.must() }
    defer { t.cancel() }
    return log.text
}
