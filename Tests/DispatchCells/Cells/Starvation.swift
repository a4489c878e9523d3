import Dispatch
import Glibc
import Synchronization

/// Whether a queue gets a thread while others keep theirs.
let starvation: [Cell] = [
    Cell(name: "queue/serial-while-many-global-ones-block") {
        // Blocked elsewhere than in either library.
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let input = ends[0], done = DispatchSemaphore(value: 0), blocked = DispatchGroup()
        for _ in 0..<70 { DispatchQueue.global().async(group: blocked) { var byte: UInt8 = 0; read(input, &byte, 1) } }
        usleep(2_000_000)
        DispatchQueue(label: "q").async { done.signal() }
        let ran = done.wait(timeout: .now() + 2)
        close(ends[1]); blocked.wait(); close(input)
        return "\(ran)"
    },
    // Alone, because the pool of ours has more threads for a while after the cell above. To see it pass: give `other` another class.
    Cell(name: "queue/serial-while-others-compute", run: {
        // As many as there are processors compute until another queue's closure has run, which the last one that begins submits.
        let count = sysconf(Int32(_SC_NPROCESSORS_ONLN)), limit = DispatchTime.now() + 10
        let all = DispatchGroup(), other = DispatchQueue(label: "other"), computing = Computing()
        for _ in 0..<count {
            DispatchQueue(label: "compute").async(group: all) {
                if computing.begun.add(1, ordering: .relaxed).newValue == count {
                    other.async(group: all) { computing.otherRan.store(true, ordering: .relaxed) }
                }
                while !computing.otherRan.load(ordering: .relaxed) {
                    if DispatchTime.now() > limit { return computing.wasStarved.store(true, ordering: .relaxed) }
                }
            }
        }
        all.wait()
        return computing.wasStarved.load(ordering: .relaxed) ? "starved" : "ran"
    }, isAlone: true),
]

private final class Computing: Sendable {
    let begun = Atomic(0), otherRan = Atomic(false), wasStarved = Atomic(false)
}
