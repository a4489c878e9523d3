import Dispatch
import SerialQueue

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What the scene needs of a queue.
protocol Holder: Sendable {
    func add(_ closure: @escaping @Sendable () -> Void)
    func wait(_ closure: () -> Void)
}

extension DispatchQueue: Holder {
    func add(_ closure: @escaping @Sendable () -> Void) { async(execute: closure) }
    func wait(_ closure: () -> Void) { sync(execute: closure) }
}

extension SerialQueue: Holder {
    func add(_ closure: @escaping @Sendable () -> Void) { async(closure) }
    func wait(_ closure: () -> Void) { sync(closure) }
}

/// A backlog of a background queue, and an interactive thread that needs the queue.
///
/// `@unchecked Sendable`: it also runs on a queue of Dispatch, which the compiler's check does not know. The comments say what guards what.
final class Scene: @unchecked Sendable {
    /// A closure of the backlog.
    struct Ran {
        let began, ended: Double
        let byCaller: Bool
    }

    private static let closures = 24
    private static let length = 0.002  // of processor time, in seconds
    private static let columns = 80

    let title: String
    private(set) var ran: [Ran] = []  // changes only on the queue; read after the sync
    private var began = 0.0, ended = 0.0  // the sync

    var took: Double { ended - began }
    var byCaller: Int { ran.count { $0.byCaller } }

    init(title: String) { self.title = title }

    /// On the thread that waits.
    func play(on queue: any Holder) {
        let caller = pthread_self(), hasBegun = Semaphore(value: 0)
        for number in 0..<Self.closures {
            queue.add {
                let began = now(CLOCK_MONOTONIC)
                if number == 0 { hasBegun.signal() }
                compute(for: Self.length)
                self.ran.append(
                    Ran(began: began, ended: now(CLOCK_MONOTONIC), byCaller: pthread_equal(caller, pthread_self()) != 0))
            }
        }
        hasBegun.wait()
        began = now(CLOCK_MONOTONIC)
        queue.wait { self.ended = now(CLOCK_MONOTONIC) }
    }

    /// A letter for each closure, in the columns of the time in which it ran.
    func show(fullScale: Double) {
        print("\(title): the sync took \(milliseconds(took)) ms; the caller ran \(byCaller) of \(ran.count)")
        print("    background |\(line(byCaller: false, fullScale: fullScale))|")
        print("    caller     |\(line(byCaller: true, fullScale: fullScale))|")
    }

    private func line(byCaller: Bool, fullScale: Double) -> String {
        var line = [Character](repeating: " ", count: Self.columns)
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        for (number, one) in ran.enumerated() where one.byCaller == byCaller {
            let first = column(of: max(one.began, began), fullScale), last = column(of: one.ended, fullScale)
            for column in first...max(first, last) { line[column] = letters[number % letters.count] }
        }
        return String(line)
    }

    private func column(of time: Double, _ fullScale: Double) -> Int {
        max(0, min(Self.columns - 1, Int((time - began) / fullScale * Double(Self.columns))))
    }
}

/// A thread that computes until it is stopped.
final class Computing: @unchecked Sendable {
    private let mayRest = Semaphore(value: 0)  // thread-safe, as all that the thread uses
    private var thread = pthread_t()  // only the main thread reads it

    init() {
        let status = pthread_create(&thread, nil, { argument in
            let computing = Unmanaged<Computing>.fromOpaque(argument!).takeUnretainedValue()
            while (try? computing.mayRest.wait(within: .zero)) == nil { compute(for: 0.001) }
            return nil
        }, Unmanaged.passUnretained(self).toOpaque())
        precondition(status == 0, "no thread could be started")
    }

    func stop() {
        mayRest.signal()
        pthread_join(thread, nil)
    }
}

/// So many seconds of this thread's processor time.
func compute(for seconds: Double) {
    let end = now(CLOCK_THREAD_CPUTIME_ID) + seconds
    while now(CLOCK_THREAD_CPUTIME_ID) < end {}
}

func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    precondition(clock_gettime(clock, &time) == 0)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func milliseconds(_ seconds: Double) -> Int { Int((seconds * 1000).rounded()) }

func hundredths(_ ratio: Double) -> Double { (ratio * 100).rounded() / 100 }
