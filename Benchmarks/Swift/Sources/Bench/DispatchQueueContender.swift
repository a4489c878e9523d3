import Dispatch

struct DispatchQueueContender: Contender {
    static let name = "DispatchQueue"
    private let queue = DispatchQueue(label: "bench")

    func submit(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.async { countdown.upAndOpen() }
        }
    }

    func synchronize(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.sync { countdown.up() }
        }
    }

    func read(_ count: Int, from countdown: Countdown) -> Int {
        var sum = 0
        for _ in 0..<count {
            sum &+= queue.sync { countdown.target }
        }
        return sum
    }

    func mix(_ count: Int, asyncs: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            for _ in 0..<asyncs {
                queue.async { countdown.up() }
            }
            queue.sync { countdown.up() }
        }
    }
}
