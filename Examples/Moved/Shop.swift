import Dispatch

/// A shop, written for Dispatch: a stock with its queue, and tills with theirs.
final class Stock: @unchecked Sendable {
    let queue = DispatchQueue(label: "com.example.stock")
    private var pieces: Int  // on the queue

    init(pieces: Int) {
        self.pieces = pieces
    }

    var count: Int {
        queue.sync { pieces }
    }

    func take() {
        queue.sync { pieces -= 1 }
    }
}

final class Till: @unchecked Sendable {
    let queue: DispatchQueue
    private let stock: Stock
    private var receipts: [String] = []  // on the queue

    init(name: String, stock: Stock) {
        queue = DispatchQueue(label: "com.example.till-\(name)")
        self.stock = stock
    }

    /// The planted race: another till may take the piece between the look and the taking.
    func sell(to customer: String, in group: DispatchGroup) {
        queue.async(group: group) { [self] in
            guard stock.count > 0 else { return }
            stock.take()
            receipts.append(customer)
        }
    }

    /// The tills print where they are.
    func receiptsOf(_ done: @escaping @Sendable ([String]) -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(10)) { [self] in
            dispatchPrecondition(condition: .onQueue(queue))
            done(receipts)
        }
    }
}

/// Two customers, one piece, two tills. Returns what is left of the stock, and the receipts.
func openingDay() -> (left: Int, receipts: Int) {
    let stock = Stock(pieces: 1), tills = ["left", "right"].map { Till(name: $0, stock: stock) }
    let group = DispatchGroup(), printed = DispatchSemaphore(value: 0)
    tills[0].sell(to: "Ann", in: group)
    tills[1].sell(to: "Ben", in: group)
    group.wait()
    let counter = DispatchQueue(label: "com.example.counter")
    nonisolated(unsafe) var receipts = 0  // on the counter
    for till in tills {
        till.receiptsOf { lines in
            counter.sync { receipts += lines.count }
            printed.signal()
        }
    }
    for _ in tills { printed.wait() }
    return (stock.count, counter.sync { receipts })
}

/// The planted deadlock: the till asks the stock, the stock asks the till.
func stocktaking() {
    let stock = Stock(pieces: 1), till = Till(name: "left", stock: stock)
    let tillIsBusy = DispatchSemaphore(value: 0), stockIsBusy = DispatchSemaphore(value: 0), group = DispatchGroup()
    till.queue.async(group: group) {
        tillIsBusy.signal()
        stockIsBusy.wait()
        print("the till counts \(stock.count) pieces")
    }
    stock.queue.async(group: group) {
        stockIsBusy.signal()
        tillIsBusy.wait()
        till.queue.sync { print("the stock asks the till") }
    }
    group.wait()
}
