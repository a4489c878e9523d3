import SerialQueue
import SerialQueueTesting

/// A shop reads a price, reserves the article, and charges the price that it read.
extension Program {
    static let staleRead = Program(name: "stale read after await") { pool in
        try await check(pool) { shop in await shop.order() }
    } correct: { pool in
        try await check(pool) { shop in await shop.orderAtCurrentPrice() }
    }

    private static func check(_ pool: ManualPool, order: @escaping @Sendable (Shop) async -> Bool) async throws {
        let shop = Shop()
        let customer = Task { await order(shop) }
        let owner = Task { await shop.raisePrice() }
        await owner.value
        try pool.require(await customer.value, "the article was charged at a price that it no longer had")
    }

    private actor Stock {
        private var left = 1
        func reserve() { left -= 1 }
    }

    private actor Shop {
        private let stock = Stock()
        private var price = 10

        func raisePrice() {
            price = 12
        }

        /// Whether the customer paid what it costs now.
        func order() async -> Bool {
            let price = price
            await stock.reserve()
            return price == self.price
        }

        func orderAtCurrentPrice() async -> Bool {
            await stock.reserve()
            let price = price
            return price == self.price
        }
    }
}
