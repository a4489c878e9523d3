import SerialQueue
import SerialQueueTesting

/// Two deposits read the balance, then write it.
extension Program {
    static let lostUpdate = Program(name: "lost update across two hops") { pool in
        let account = Account()
        await withTaskGroup { group in
            for amount in [10, 20] {
                group.addTask {
                    let balance = await account.balance
                    await account.set(balance + amount)
                }
            }
        }
        try pool.require(await account.balance == 30, "a deposit is lost")
    } correct: { pool in
        let account = Account()
        await withTaskGroup { group in
            for amount in [10, 20] {
                group.addTask { await account.add(amount) }
            }
        }
        try pool.require(await account.balance == 30, "a deposit is lost")
    }

    private actor Account {
        private(set) var balance = 0

        func set(_ value: Int) {
            balance = value
        }

        func add(_ amount: Int) {
            balance += amount
        }
    }
}
