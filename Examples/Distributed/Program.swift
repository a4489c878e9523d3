// An auction as a distributed actor on a SerialQueue. Bidders bid through the actor system; a thread that knows nothing of
// Swift's concurrency looks on. Fails if the outcome is not what the bids make it.

import Dispatch
import Distributed
import Foundation
import SerialQueue

@main
enum Program {
    static let bidders = 8
    static let bidsEach = 500

    /// Each bidder's bids, from a small formula, so that the winner is known beforehand.
    static func amount(_ bidder: Int, _ number: Int) -> Int {
        (number * 7919 + bidder * 104_729) % 1_000_003 + 1
    }

    static func main() async throws {
        let system = LocalTestingDistributedActorSystem()
        let auction = Auction(on: system)
        let screen = Screen(of: auction)
        let raises = try await takeBids(for: auction.id, in: system)
        try await refuseJoker(at: auction.id, in: system)
        let views = screen.close()
        let end = try await Auction.queue.run { auction.assumeIsolated { $0.screen() } }
        print("bids      \(bidders * bidsEach), of which \(raises) raised the price; the screen showed \(views) of the prices")
        print("winner    \(end.leader), \(end.highest)")
        print("queue     \"\(Auction.queue.label)\": ran \(Auction.queue.statistics.ran)")
        check(end.raises.count == raises, "\(raises) raises were confirmed, \(end.raises.count) are in the journal")
        let (highest, winner) = (0..<bidders).flatMap { bidder in
            (0..<bidsEach).map { (amount(bidder, $0), bidder) }
        }.max { $0.0 < $1.0 }!
        check(end.highest == highest && end.leader == "bidder \(winner)", "the winner is bidder \(winner) with \(highest)")
        try await Auction.queue.shutdown()
        print("check     the highest bid has won, and no price was lower than the one before")
    }

    /// Returns how many of the bids raised the price.
    private static func takeBids(for id: Auction.ID, in system: Auction.ActorSystem) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for bidder in 0..<bidders {
                group.addTask {
                    let auction = try Auction.resolve(id: id, using: system)
                    var raises = 0
                    for number in 0..<bidsEach
                    where try await auction.bid(amount(bidder, number), by: "bidder \(bidder)") {
                        raises += 1
                    }
                    return raises
                }
            }
            var sum = 0
            for try await raises in group { sum += raises }
            return sum
        }
    }

    /// An error that the actor throws comes back to the caller as it is.
    private static func refuseJoker(at id: Auction.ID, in system: Auction.ActorSystem) async throws {
        do {
            _ = try await Auction.resolve(id: id, using: system).bid(0, by: "a joker")
            check(false, "a bid of 0 was taken")
        } catch let refusal as Refusal {
            print("refused   \(refusal)")
        }
    }
}

/// A thread that shows the price: it has to draw now, so it gets into the actor by a sync onto its queue.
final class Screen: Sendable {
    private let shown = QueueIsolated((isOpen: true, prices: [Int]()), on: SerialQueue(label: "com.example.screen"))
    private let ended = DispatchSemaphore(value: 0)

    init(of auction: Auction) {
        Thread { [self] in
            while shown.sync({ $0.isOpen }) {
                let now = Auction.queue.sync { auction.assumeIsolated { $0.screen() } }
                check(now.raises == now.raises.sorted(), "a price was lower than the one before")
                check(now.raises.last ?? 0 == now.highest, "the screen shows a bid that is half taken")
                shown.sync { $0.prices.append(now.highest) }
            }
            ended.signal()
        }.start()
    }

    /// Returns how many different prices it has shown, when it shows no more: the auction's queue may be shut down then.
    func close() -> Int {
        shown.sync { $0.isOpen = false }
        ended.wait()
        return shown.sync { Set($0.prices).count }
    }
}

func check(_ holds: Bool, _ otherwise: String) {
    if holds { return }
    print("FAILED: \(otherwise)")
    exit(1)
}
