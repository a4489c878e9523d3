// StandIn.swift: where jobs go that come after their queue's shutdown.
//
// A task that is suspended inside an actor comes back when it likes, and the runtime takes no for no answer: a job that is
// not run is a task that waits for ever. So a queue that was shut down has another one stand in for it, which first waits
// for its end. That keeps the actor's jobs one at a time, and in order. It lasts as long as there are jobs.

import CSerialQueue
import CSerialQueueSwiftCall

enum StandIn {
    private struct Entry {
        let queue: SerialQueue
        var jobs: Int
    }

    /// By the queue that is stood in for. Each job retains a handle to it, so while it is a key it is not freed.
    private static let entries = Locked([SerialQueue: Entry]())

    /// Runs the job after the end of `executor` and after every job that came this way before.
    static func enqueue(_ job: UnownedJob, for executor: SerialQueue, _ run: QueuedJob.Run) {
        entries.withLock { entries in
            // Submitted under the lock, so that the order is that of the counting. Nothing of the user's runs in here.
            let entry = entries[executor] ?? Entry(queue: make(for: executor), jobs: 0)
            entries[executor] = Entry(queue: entry.queue, jobs: entry.jobs + 1)
            let status = QueuedJob.submit(job, of: executor, to: entry.queue.queue, run)
            if status != 0 { entry.queue.jobRefused(status) }
        }
    }

    private static func make(for executor: SerialQueue) -> SerialQueue {
        let queue = SerialQueue(label: executor.label)
        let accepted = queue.async {
            // Already begun; this waits for the end of what was accepted before.
            let status = sq_shutdown(executor.queue, SQ_DRAIN, .max)
            if status != 0 { executor.jobRefused(status) }
        }
        if !accepted { queue.jobRefused(CInt(SQ_SWIFT_EAGAIN)) }
        return queue
    }

    /// Called by the stand-in, after each job.
    static func jobEnded(of executor: SerialQueue) {
        // Let go of outside the lock.
        let finished: SerialQueue? = entries.withLock { entries in
            entries[executor]!.jobs -= 1
            return entries[executor]!.jobs == 0 ? entries.removeValue(forKey: executor)?.queue : nil
        }
        withExtendedLifetime(finished) {}
    }

    /// Whether the caller runs on the queue that stands in for `executor`.
    static func isCurrent(for executor: SerialQueue) -> Bool {
        entries.withLock { $0[executor]?.queue.isCurrent ?? false }
    }
}
