// ExecutorJobs.swift: the way of the Swift runtime's jobs through C and back.

import CSerialQueue

/// A job of the Swift runtime's, on its way to the executor that it was enqueued on.
///
/// A job is one word, an object of the runtime that belongs to the code that runs it; the executor is the other word. So
/// there is nothing to allocate. The executor is retained until the job has run: the runtime compares executors by
/// calling them, and the actor or task that owned the handle may be gone by then.
enum QueuedJob {
    typealias Run = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Bool) -> Void

    /// The job is isolated to an actor. Run also when it is discarded: a task without its job would wait forever.
    static let onActor: Run = { job, executor, _ in
        take(executor) { take(job).runSynchronously(on: $0.asUnownedSerialExecutor()) }
    }

    /// The job is isolated to nothing, and is here because its task prefers to be.
    static let onTask: Run = { job, executor, _ in
        take(executor) { take(job).runSynchronously(on: $0.asUnownedTaskExecutor()) }
    }

    /// The same after the queue's shutdown, on the stand-in.
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

    /// Returns C's status. If that is not 0, the job is still the caller's.
    static func submit(_ job: UnownedJob, of executor: SerialQueue, to queue: OpaquePointer, _ run: Run) -> CInt {
        // UnownedJob is a struct of one reference without a count.
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
