// ExecutorJobs.swift: passes jobs of the Swift runtime through C.

import CSerialQueue

/// A job of the Swift runtime that is in a queue.
///
/// C stores two words: the job, a runtime object that belongs to the code that runs it, and its executor. So nothing is allocated.
/// The executor is retained until the job has run: the runtime calls executors to compare them, and the actor or task that owned
/// the handle may no longer exist.
enum QueuedJob {
    typealias Run = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Bool) -> Void

    /// For a job that is isolated to an actor. It also runs when it is discarded: otherwise its task would wait forever.
    static let onActor: Run = { job, executor, _ in
        take(executor) { take(job).runSynchronously(on: $0.asUnownedSerialExecutor()) }
    }

    /// For a job that is not isolated, of a task that prefers this queue.
    static let onTask: Run = { job, executor, _ in
        take(executor) { take(job).runSynchronously(on: $0.asUnownedTaskExecutor()) }
    }

    /// The same two after the queue's shutdown, on the stand-in.
    static let lateOnActor: Run = { job, executor, _ in
        take(executor) {
            take(job).runSynchronously(on: $0.asUnownedSerialExecutor())
            AfterShutdown.leave($0)
        }
    }

    static let lateOnTask: Run = { job, executor, _ in
        take(executor) {
            take(job).runSynchronously(on: $0.asUnownedTaskExecutor())
            AfterShutdown.leave($0)
        }
    }

    /// Returns C's status. If that is not 0, the job still belongs to the caller.
    static func submit(_ job: UnownedJob, of executor: SerialQueue, to queue: OpaquePointer, _ run: Run) -> CInt {
        // UnownedJob is a struct with one uncounted reference.
        let job = unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
        let retained = Unmanaged.passRetained(executor)
        let status = sq_async_job(queue, run, job, retained.toOpaque())
        if status != 0 { retained.release() }
        return status
    }

    private static func take(_ job: UnsafeMutableRawPointer?) -> UnownedJob {
        unsafeBitCast(job!, to: UnownedJob.self)
    }

    private static func take(_ executor: UnsafeMutableRawPointer?, _ body: (SerialQueue) -> Void) {
        let executor = Unmanaged<SerialQueue>.fromOpaque(executor!).takeRetainedValue()
        withExtendedLifetime(executor) { body(executor) }
    }
}
