import SerialQueue
import SerialQueueTesting

/// A channel notifies its subscribers one after the other. One of them unsubscribes in between.
extension Program {
    static let unsubscribeDuringNotify = Program(name: "unsubscribe during notify") { pool in
        try await check(pool) { await $0.notify() }
    } correct: { pool in
        try await check(pool) { await $0.notifyOpen() }
    }

    private static func check(_ pool: ManualPool, notify: @escaping @Sendable (Channel) async -> Void) async throws {
        let channel = Channel()
        let window = Window(), log = Window()
        await channel.subscribe(log)
        await channel.subscribe(window)
        async let notified: Void = notify(channel)
        async let closed: Void = close(window, of: channel)
        _ = await (notified, closed)
        try pool.require(await window.eventsAfterClose == 0, "a closed window got an event")
    }

    private static func close(_ window: Window, of channel: Channel) async {
        await channel.unsubscribe(window)
        await window.close()
    }

    private actor Window {
        private var isClosed = false
        private(set) var eventsAfterClose = 0

        func close() {
            isClosed = true
        }

        func receive() {
            if isClosed { eventsAfterClose += 1 }
        }

        func receiveIfOpen() {
            if !isClosed { receive() }
        }
    }

    private actor Channel {
        private var subscribers: [Window] = []

        func subscribe(_ window: Window) {
            subscribers.append(window)
        }

        func unsubscribe(_ window: Window) {
            subscribers.removeAll { $0 === window }
        }

        func notify() async {
            for window in subscribers { await window.receive() }
        }

        func notifyOpen() async {
            for window in subscribers { await window.receiveIfOpen() }
        }
    }
}
