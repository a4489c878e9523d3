import Dispatch

struct DispatchNames: NamesContender {
    private let queue = DispatchQueue(label: "bench")
    private let group = DispatchGroup()

    func async(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.async { countdown.up() }
        }
        queue.sync {}
    }

    func sync(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.sync { countdown.up() }
        }
    }

    func group(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            queue.async(group: group) { countdown.up() }
        }
        group.wait()
    }

    func after(_ count: Int, counting countdown: Countdown) {
        for _ in 0..<count {
            group.enter()
            queue.asyncAfter(deadline: .now() + .microseconds(100)) { [group] in
                countdown.up()
                group.leave()
            }
        }
        group.wait()
    }
}
