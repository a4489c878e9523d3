import SerialQueue
import SerialQueueTesting

/// A wallet checks its balance, asks for the fee, and pays.
extension Program {
    static let reentrantActor = Program(name: "reentrant actor") { pool in
        let wallet = Wallet()
        let payments = [Task { await wallet.pay(60) }, Task { await wallet.pay(60) }]
        for payment in payments { await payment.value }
        try pool.require(await wallet.balance >= 0, "the wallet is overdrawn")
    } correct: { pool in
        let wallet = Wallet()
        let payments = [Task { await wallet.payChecked(60) }, Task { await wallet.payChecked(60) }]
        for payment in payments { await payment.value }
        try pool.require(await wallet.balance >= 0, "the wallet is overdrawn")
    }

    /// It has state: the compiler would leave out a hop to an actor that has none.
    private actor Fees {
        private var asked = 0

        func fee(for amount: Int) -> Int {
            asked += 1
            return amount / 60
        }
    }

    private actor Wallet {
        private let fees = Fees()
        private(set) var balance = 100

        func pay(_ amount: Int) async {
            guard balance > amount else { return }
            let fee = await fees.fee(for: amount)
            balance -= amount + fee
        }

        func payChecked(_ amount: Int) async {
            let fee = await fees.fee(for: amount)
            guard balance >= amount + fee else { return }
            balance -= amount + fee
        }
    }
}
