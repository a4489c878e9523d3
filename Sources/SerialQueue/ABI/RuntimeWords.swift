// RuntimeWords.swift: jobs, continuations and executors of Swift's runtime as words, which C keeps.

import CSerialQueueSwiftCall

/// A job as one word. Each is taken back once.
package enum JobWord {}

#if compiler(>=6.3) && compiler(<6.4) && !SERIALQUEUE_PORTABLE

extension JobWord {
    /// UnownedJob is a struct with one uncounted reference. So nothing is allocated.
    package static func of(_ job: UnownedJob) -> UnsafeMutableRawPointer {
        runtimeObject(of: job)
    }

    package static func take(_ word: UnsafeMutableRawPointer) -> UnownedJob {
        unsafeBitCast(word, to: UnownedJob.self)
    }
}

/// Enqueues a job of a task that prefers `executor` on the global executor.
package func enqueueGlobally(_ job: UnownedJob, of executor: any TaskExecutor) {
    sq_swift_enqueue_global(runtimeObject(of: job))
}

/// Resumes a caller.
func resumeCaller(_ caller: UnsafeContinuation<Void, Never>) {
    // A continuation is one reference without a count.
    sq_swift_resume(unsafeBitCast(caller, to: UnsafeMutableRawPointer.self))
}

#else

extension JobWord {
    private final class Box {
        let job: UnownedJob

        init(_ job: UnownedJob) {
            self.job = job
        }
    }

    package static func of(_ job: UnownedJob) -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(Box(job)).toOpaque()
    }

    package static func take(_ word: UnsafeMutableRawPointer) -> UnownedJob {
        Unmanaged<Box>.fromOpaque(word).takeRetainedValue().job
    }
}

/// Enqueues a job of a task that prefers `executor` on the global executor, within a task of its own: ``globalConcurrentExecutor`` goes past the hook
/// that SerialQueueTesting uses.
package func enqueueGlobally(_ job: UnownedJob, of executor: any TaskExecutor) {
    Task.detached(priority: TaskPriority(job.priority)) { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
}

/// Resumes a caller. ThreadSanitizer may report this one (sq_swift_resume).
func resumeCaller(_ caller: UnsafeContinuation<Void, Never>) {
    caller.resume()
}

#endif

// Of every form: for SerialQueueTesting, which asks the runtime at its start whether it is the one that it knows (TaskHook/task_hook.c).

/// A job as the runtime's functions take it.
package func runtimeObject(of job: UnownedJob) -> UnsafeMutableRawPointer {
    unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
}

/// An executor as the runtime's functions take it.
package func runtimeWords(of executor: UnownedTaskExecutor) -> (object: UnsafeMutableRawPointer?, conformance: UnsafeRawPointer?) {
    unsafeBitCast(executor, to: (object: UnsafeMutableRawPointer?, conformance: UnsafeRawPointer?).self)
}
