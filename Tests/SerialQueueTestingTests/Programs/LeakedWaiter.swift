import SerialQueue
import SerialQueueTesting

/// A door: its waiters are resumed when it opens. There is an await between looking and waiting.
extension Program {
    static let leakedWaiter = Program(name: "leaked waiter") { pool in
        let door = Door()
        async let visitor: Void = door.wait()
        async let porter: Void = door.open()
        _ = await (visitor, porter)
    } correct: { pool in
        let door = Door()
        async let visitor: Void = door.waitChecked()
        async let porter: Void = door.open()
        _ = await (visitor, porter)
    }

    private actor Guests {
        private(set) var count = 0
        func add() { count += 1 }
    }

    private actor Door {
        private let guests = Guests()
        private var isOpen = false
        private var waiters: [UnsafeContinuation<Void, Never>] = []

        func wait() async {
            guard !isOpen else { return }
            await guests.add()
            await withUnsafeContinuation { waiters.append($0) }
        }

        func waitChecked() async {
            await guests.add()
            guard !isOpen else { return }
            await withUnsafeContinuation { waiters.append($0) }
        }

        func open() {
            isOpen = true
            for waiter in waiters { waiter.resume() }
            waiters = []
        }
    }
}
