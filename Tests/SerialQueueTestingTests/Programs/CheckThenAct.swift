import SerialQueue
import SerialQueueTesting

/// A buyer asks whether there is a seat, puts it into the basket, and buys it.
extension Program {
    static let checkThenAct = Program(name: "check, then act") { pool in
        try await check(pool) { await $0.buy(from: $1) }
    } correct: { pool in
        try await check(pool) { await $0.buyAtOnce(from: $1) }
    }

    private static func check(_ pool: ManualPool, buy: @escaping @Sendable (Buyer, Hall) async -> Void) async throws {
        let hall = Hall()
        let buyers = (1...3).map { _ in
            Task { await buy(Buyer(), hall) }
        }
        for buyer in buyers { await buyer.value }
        try pool.require(await hall.sold == 1, "the last seat was sold more than once")
    }

    private actor Buyer {
        private var basket = 0

        func buy(from hall: Hall) async {
            guard await hall.isFree else { return }
            basket += 1
            await hall.sell()
        }

        func buyAtOnce(from hall: Hall) async {
            if await hall.sellIfFree() { basket += 1 }
        }
    }

    private actor Hall {
        private(set) var sold = 0
        var isFree: Bool { sold == 0 }

        func sell() {
            sold += 1
        }

        func sellIfFree() -> Bool {
            guard isFree else { return false }
            sell()
            return true
        }
    }
}
