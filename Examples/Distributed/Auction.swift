import Distributed
import SerialQueue

/// An auction that bidders reach through the actor system, wherever they are. Where it lives, its jobs run on a serial
/// queue, which synchronous code of that process uses as well.
distributed actor Auction {
    typealias ActorSystem = LocalTestingDistributedActorSystem

    /// A distributed actor has no stored property that is not isolated: a remote one has none at all. So the queue of the
    /// auctions of this process is shown next to them.
    static let queue = SerialQueue(label: "com.example.auction")

    private var highest = 0
    private var leader = "nobody"
    private var journal: [Int] = []

    init(on system: ActorSystem) {
        actorSystem = system
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { Self.queue.asUnownedSerialExecutor() }

    /// Returns whether it is the highest so far.
    distributed func bid(_ amount: Int, by bidder: String) throws -> Bool {
        guard amount > 0 else { throw Refusal.notPositive(amount) }
        guard amount > highest else { return false }
        highest = amount
        leader = bidder
        journal.append(amount)
        return true
    }

    /// What a screen in the hall shows. Called by code that is not async, on the queue.
    func screen() -> (leader: String, highest: Int, raises: [Int]) {
        (leader, highest, journal)
    }
}

enum Refusal: Error, Codable, Equatable {
    case notPositive(Int)
}
