/// An account of a bank.
actor Account {
    private(set) var balance: Int

    init(_ balance: Int) {
        self.balance = balance
    }

    func set(_ balance: Int) {
        self.balance = balance
    }

    func add(_ amount: Int) {
        balance += amount
    }
}

/// What every bank can do.
protocol Bank: Sendable {
    init()
    func transfer(_ amount: Int, from: Account, to: Account) async
}

/// It reads two balances, and writes two balances. In a test with one customer that is right.
struct HastyBank: Bank {
    func transfer(_ amount: Int, from: Account, to: Account) async {
        let (old, new) = (await from.balance - amount, await to.balance + amount)
        await from.set(old)
        await to.set(new)
    }
}

/// The same, with the fix: each account changes its own balance, in one step.
struct CarefulBank: Bank {
    func transfer(_ amount: Int, from: Account, to: Account) async {
        await from.add(-amount)
        await to.add(amount)
    }
}
