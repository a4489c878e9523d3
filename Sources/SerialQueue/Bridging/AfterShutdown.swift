// AfterShutdown.swift: work that arrives after a queue's shutdown and cannot be refused.
//
// A task that is suspended inside an actor may resume at any time, and a job of the runtime cannot be refused: a task whose job
// does not run waits forever. The `syncOrRun` of a `deinit` cannot be refused either. So a stand-in replaces a queue that was shut
// down. It first waits for the end of that queue, then runs the late work one at a time, in order. It exists while it has work.
//
// A stand-in has its own thread, which waits for the end. On a manual pool no other thread may wait or run tasks: there the
// stand-in is on the same pool, and is suspended until the queue has ended. The thread that runs the pool then resumes it.

import CSerialQueue
import CSerialQueueSwiftCall
import Synchronization

enum AfterShutdown {
    private struct Entry {
        let queue: SerialQueue
        /// Stand-ins are numbered in the order in which they were made.
        let number: Int
        var users: Int
    }

    /// By the queue that was shut down. The key keeps that queue alive.
    private static let entries = QueueLocked([WorkQueue: Entry]())
    /// The number of entries, for a quick check. Relaxed: a thread that runs on a stand-in sees its own entry, because the entry
    /// was counted before the stand-in started.
    private static let count = Atomic(0)
    /// How many stand-ins were ever made. Changes under the lock.
    private static let made = Atomic(0)

    /// Runs the job after the end of `executor` and after all earlier late work.
    static func enqueue(_ job: UnownedJob, for executor: WorkQueue, _ run: QueuedJob.Run) {
        var status: CInt = 0
        join(executor) { status = $0.map { QueuedJob.submit(job, of: executor, to: $0.queue, run) } ?? CInt(SQ_SWIFT_ENOMEM) }
        if status != 0 { executor.jobRefused(status) }
    }

    /// Calls `body` in the same order, on the stand-in. Returns C's status; if that is not 0, `body` will not be called.
    static func follow(_ executor: WorkQueue, _ body: @escaping @Sendable () -> Void) -> CInt {
        var isAccepted = false
        join(executor) { queue in
            isAccepted = queue?.async {
                body()
                leave(executor)
            } ?? false
        }
        return isAccepted ? 0 : CInt(SQ_SWIFT_ENOMEM)
    }

    /// Runs `body` in the same order, on the calling thread; directly, if the caller is on the stand-in. Returns C's status.
    static func syncOrRun(for executor: WorkQueue, _ body: () -> Void) -> CInt {
        var standIn: SerialQueue?
        join(executor) { standIn = $0 }
        guard let standIn else { return CInt(SQ_SWIFT_ENOMEM) }
        defer { leave(executor) }
        if sq_queue_manual_pool(executor.queue) != nil {
            // Runs what is ready, so that no other thread has to run the pool.
            let status = sq_shutdown(executor.queue, SQ_SHUTDOWN_DRAIN, .max)
            if status != 0 { return status }
            standIn.resume()
        }
        return borrowedSyncOrRun(standIn.queue, body)
    }

    /// Calls `use` with the stand-in of `executor`, which from now on has one more user; `nil`: it could not be made.
    ///
    /// `use` is called under the lock, so that the work is in the order of joining. It runs no user code.
    private static func join(_ executor: WorkQueue, _ use: (SerialQueue?) -> Void) {
        entries.withLock { entries in
            guard var entry = entries[executor] ?? make(for: executor) else { return use(nil) }
            if entry.users == 0 { count.add(1, ordering: .relaxed) }
            entry.users += 1
            entries[executor] = entry
            use(entry.queue)
            if sq_queue_manual_pool(executor.queue) != nil, sq_has_ended(executor.queue) { entry.queue.resume() }
        }
    }

    private static func make(for executor: WorkQueue) -> Entry? {
        let pool = sq_queue_manual_pool(executor.queue)
        var options = sq_swift_queue_options()
        options.pool = pool
        guard let made = sq_queue_create(sq_queue_label(executor.queue), &options) else { return nil }
        let queue = SerialQueue(owning: made)
        let isReady = pool != nil ? queue.suspend() : queue.async {
            // The shutdown has already begun; this waits for its end.
            let status = sq_shutdown(executor.queue, SQ_SHUTDOWN_DRAIN, .max)
            if status != 0 { executor.jobRefused(status) }
        }
        let number = Self.made.add(1, ordering: .relaxed).newValue
        return isReady ? Entry(queue: queue, number: number, users: 0) : nil
    }

    /// Resumes the stand-ins on this manual pool whose queues have ended. `false`: there was nothing to resume.
    static func resume(on pool: OpaquePointer) -> Bool {
        guard count.load(ordering: .relaxed) > 0 else { return false }
        return entries.withLock { entries in
            entries.filter { sq_queue_manual_pool($0.key.queue) == pool && sq_has_ended($0.key.queue) }
                .sorted { $0.value.number < $1.value.number }
                .reduce(false) { $1.value.queue.resume() || $0 }
        }
    }

    /// Called by each user, after its work.
    static func leave(_ executor: WorkQueue) {
        // Released outside the lock.
        let finished: (WorkQueue, Entry)? = entries.withLock { entries in
            entries[executor]!.users -= 1
            guard entries[executor]!.users == 0, let index = entries.index(forKey: executor) else { return nil }
            count.subtract(1, ordering: .relaxed)
            return entries.remove(at: index)
        }
        withExtendedLifetime(finished) {}
    }

    /// Whether the caller runs on the stand-in of `executor`.
    static func isCurrent(for executor: WorkQueue) -> Bool {
        guard count.load(ordering: .relaxed) > 0 else { return false }
        // Not `isCurrent`, which would call this function again.
        return entries.withLock { entries in entries[executor].map { sq_is_current($0.queue.queue) } ?? false }
    }

    /// The queue that the stand-in `queue` replaces; `nil`: it is not a stand-in.
    static func original(of queue: OpaquePointer) -> WorkQueue? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return entries.withLock { $0.first { $0.value.queue.queue == queue }?.key }
    }
}
