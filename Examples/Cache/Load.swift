import Foundation
import SerialQueue
import Synchronization

/// Pages by their number, the oldest of which make room for new ones. Not synchronised.
struct Pages {
    private var pages: [Int: Int] = [:]
    private var order: [Int] = []  // a ring, once it is full
    private var oldest = 0

    var count: Int { pages.count }

    func find(_ number: Int) -> Int? { pages[number] }

    /// `false`: another thread was faster.
    mutating func insert(_ number: Int, _ page: Int) -> Bool {
        guard pages.updateValue(page, forKey: number) == nil else { return false }
        if order.count < Load.capacity {
            order.append(number)
        } else {
            pages[order[oldest]] = nil
            order[oldest] = number
            oldest = (oldest + 1) % Load.capacity
        }
        return true
    }
}

/// How a cache is guarded: any number of reads at a time, changes alone.
struct Guard: Sendable {
    let read: @Sendable (() -> Void) -> Void
    let change: @Sendable (() -> Void) -> Void
}

/// Threads that read pages, the lower numbers more often, and load those that the cache has not.
///
/// `@unchecked Sendable`: the pages are accessed under the guard only.
final class Load: @unchecked Sendable {
    static let keys = 4_096
    static let capacity = 3_900

    private let guarded: Guard
    private let options: Options
    private var pages = Pages()
    private let missed = Atomic(0), inserted = Atomic(0), wrong = Atomic(0)

    init(_ guarded: Guard, _ options: Options) {
        self.guarded = guarded
        self.options = options
    }

    var misses: Int { missed.load(ordering: .relaxed) }
    var insertions: Int { inserted.load(ordering: .relaxed) }
    var isRight: Bool { wrong.load(ordering: .relaxed) == 0 && pages.count <= Self.capacity }

    func run() {
        let group = WorkGroup(label: "readers")
        for thread in 1...options.threads {
            group.enter()
            Thread { [self] in
                readMany(seed: UInt64(thread))
                group.leave()
            }.start()
        }
        group.wait()
    }

    private func readMany(seed: UInt64) {
        var random = seed &* 0x9e37_79b9_7f4a_7c15
        for _ in 0..<options.reads {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            let fraction = Double(random >> 11) / Double(1 << 53)
            read(Int(Double(Self.keys) * fraction * fraction * fraction))
        }
    }

    private func read(_ number: Int) {
        var found: Int?
        guarded.read { found = pages.find(number) }
        if found == nil {
            missed.add(1, ordering: .relaxed)
            let page = Self.page(number)  // outside the queue, so that other threads can read
            guarded.change { if pages.insert(number, page) { inserted.add(1, ordering: .relaxed) } }
            found = page
        }
        if found! % Self.keys != number { wrong.add(1, ordering: .relaxed) }
    }

    /// Stands for what takes long: reading a file, a computation. The page has its number in it.
    private static func page(_ number: Int) -> Int {
        var hash = UInt64(number) | 1
        for _ in 0..<1_000 { hash = hash &* 6_364_136_223_846_793_005 &+ 1 }
        return Int(hash >> 32) * keys + number
    }
}

/// `@unchecked Sendable`: a pthread_rwlock may be used from any thread, and stays where it is.
final class ReadWriteLock: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

    init() {
        guard pthread_rwlock_init(lock, nil) == 0 else { die("no lock can be made", status: 1) }
    }

    deinit {
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    func read(_ body: () -> Void) {
        pthread_rwlock_rdlock(lock)
        body()
        pthread_rwlock_unlock(lock)
    }

    func change(_ body: () -> Void) {
        pthread_rwlock_wrlock(lock)
        body()
        pthread_rwlock_unlock(lock)
    }
}
