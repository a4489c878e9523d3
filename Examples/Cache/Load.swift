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

/// The only ways to pages that several threads share: any number of reads at a time, changes alone.
struct Guarded: Sendable {
    let read: @Sendable ((borrowing Pages) -> Int?) -> Int?
    let change: @Sendable ((inout Pages) -> Bool) -> Bool
}

/// Threads that read pages, the lower numbers more often, and load those that the cache has not.
final class Load: Sendable {
    static let keys = 4_096
    static let capacity = 3_900

    private let pages: Guarded
    private let options: Options
    private let missed = Atomic(0), inserted = Atomic(0), wrong = Atomic(0)

    init(_ pages: Guarded, _ options: Options) {
        self.pages = pages
        self.options = options
    }

    var misses: Int { missed.load(ordering: .relaxed) }
    var insertions: Int { inserted.load(ordering: .relaxed) }
    var isRight: Bool { wrong.load(ordering: .relaxed) == 0 && pages.read({ $0.count })! <= Self.capacity }

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
        var found = pages.read { $0.find(number) }
        if found == nil {
            missed.add(1, ordering: .relaxed)
            let page = Self.page(number)  // outside the queue, so that other threads can read
            if pages.change({ $0.insert(number, page) }) { inserted.add(1, ordering: .relaxed) }
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

/// Pages under a lock, as they are written without a queue.
///
/// `@unchecked Sendable`: the compiler does not know that the lock, which stays where it is, guards the pages.
final class LockedPages: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
    private var pages = Pages()

    init() {
        guard pthread_rwlock_init(lock, nil) == 0 else { die("no lock can be made", status: 1) }
    }

    deinit {
        pthread_rwlock_destroy(lock)
        lock.deallocate()
    }

    func read(_ body: (borrowing Pages) -> Int?) -> Int? {
        pthread_rwlock_rdlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return body(pages)
    }

    func change(_ body: (inout Pages) -> Bool) -> Bool {
        pthread_rwlock_wrlock(lock)
        defer { pthread_rwlock_unlock(lock) }
        return body(&pages)
    }
}
