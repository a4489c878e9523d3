// ExecutorJobs.swift: passes jobs of the Swift runtime through C.

import CSerialQueue
import CSerialQueue.Private
import CSerialQueueSwiftCall

/// A job of the Swift runtime that is in a queue.
///
/// C stores two words: the job, which belongs to the code that runs it, and its executor.
/// The executor is retained until the job has run: the runtime calls executors to compare them, and the actor or task that owned
/// the handle may no longer exist.
enum QueuedJob {
    typealias Run = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Bool) -> Void

    /// For a job that is isolated to an actor. It also runs when it is discarded: otherwise its task would wait forever.
    static let onActor: Run = { job, queue, _ in
        take(queue, as: SerialQueue.self) { JobWord.take(job!).runSynchronously(on: $0.asUnownedSerialExecutor()) }
    }

    /// For a job that is not isolated, of a task that prefers this queue.
    static let onTask: Run = { job, queue, _ in runOnTask(job, queue, of: SerialQueue.self) }
    static let onConcurrentTask: Run = { job, queue, _ in runOnTask(job, queue, of: ConcurrentQueue.self) }

    private static func runOnTask<Queue: WorkQueue & TaskExecutor>(
        _ job: UnsafeMutableRawPointer?, _ queue: UnsafeMutableRawPointer?, of kind: Queue.Type
    ) {
        take(queue, as: kind) { JobWord.take(job!).runSynchronously(on: $0.asUnownedTaskExecutor()) }
    }

    /// Submits the job to the queue, or, if that was shut down, to what runs after its end. Returns C's status. If that is not 0, the
    /// job still belongs to the caller.
    static func submit(_ job: UnownedJob, to executor: WorkQueue, _ run: Run) -> CInt {
        let word = JobWord.of(job)
        let retained = Unmanaged.passRetained(executor)
        var status = sq_async_job(executor.queue, run, word, retained.toOpaque())
        if status == SQ_SWIFT_ESHUTDOWN { status = sq__async_after_end(executor.queue, run, word, retained.toOpaque()) }
        if status != 0 {
            retained.release()
            _ = JobWord.take(word)
        }
        return status
    }

    private static func take<Queue: WorkQueue>(
        _ executor: UnsafeMutableRawPointer?, as kind: Queue.Type, _ body: (Queue) -> Void
    ) {
        let executor = Unmanaged<Queue>.fromOpaque(executor!).takeRetainedValue()
        body(executor)
        withExtendedLifetime(executor) {}
    }
}
