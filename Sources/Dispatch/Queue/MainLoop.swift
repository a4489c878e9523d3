// MainLoop.swift: the main queue's thread.

import Dispatch
import SerialQueue
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import CoreFoundation
import Darwin
#endif

/// Runs the closures of the main queue within Dispatch's own main queue, which `RunLoop`, an async main function and ``dispatchMain()``
/// serve. So both queues, and the main actor, are on one thread.
final class MainLoop: Sendable {
    static let shared = MainLoop()

    let pool = LoopPool(label: "main")
    /// Readable while closures of the pool are ready. Never cancelled.
    private nonisolated(unsafe) let source: any Dispatch.DispatchSourceRead  // sources may be used from any thread

    private init() {
        source = Dispatch.DispatchSource.makeReadSource(fileDescriptor: pool.fileDescriptor, queue: .main)
        // Claims it, so that a `sync` of this thread does not wait for a loop.
        if Self.isMainThread { pool.runSome() }
        source.setEventHandler { [pool] in MainLoop.serve(pool) }
        source.resume()
    }

    private static func serve(_ pool: LoopPool) {
        if isMainThread {
            pool.runSome()
        } else {
            ownThread.withLock { isRunning in
                if isRunning { return }
                isRunning = true
                SerialQueue(label: "main").async { pool.runForever() }
            }
        }
    }

    /// Whether the main queue has a thread of its own: after Dispatch's `dispatchMain`, an async main function without Foundation included,
    /// the main thread serves nothing.
    private static let ownThread = Mutex(false)

    static var isMainThread: Bool {
        #if canImport(Darwin)
        pthread_main_np() != 0
        #else
        threadNumber() == getpid()
        #endif
    }
}

/// Runs the main queue, that of Dispatch, and the main actor on the main thread. Never returns.
///
/// Traps on another thread.
public func dispatchMain() -> Never {
    guard MainLoop.isMainThread else { fatalError("dispatchMain: call it on the main thread.") }
    let pool = MainLoop.shared.pool
    pool.runSome()
    serveMainThread(pool)
}

#if canImport(Darwin)

/// A run loop of the main thread serves Dispatch's main queue, and so the source of the pool. Never run on a Mac yet.
private func serveMainThread(_ pool: LoopPool) -> Never {
    while true { CFRunLoopRun() }
}

#else

/// Without Foundation: waits for Dispatch's main queue, and for the pool.
private func serveMainThread(_ pool: LoopPool) -> Never {
    let handle = mainQueueHandle()
    while true {
        var descriptors = [
            pollfd(fd: handle, events: Int16(POLLIN), revents: 0), pollfd(fd: pool.fileDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, 2, -1)
        if descriptors[1].revents != 0 { pool.runSome(atMost: 512) }
        if descriptors[0].revents != 0 {
            var wakeUps: UInt64 = 0
            _ = read(handle, &wakeUps, 8)
            runMainQueue(nil)
        }
    }
}

// Swift does not import it from Glibc.
@_silgen_name("gettid")
private func threadNumber() -> CInt

// Of libdispatch, for run loops; Foundation's RunLoop calls them.
@_silgen_name("_dispatch_get_main_queue_handle_4CF")
private func mainQueueHandle() -> CInt
@_silgen_name("_dispatch_main_queue_callback_4CF")
private func runMainQueue(_ message: UnsafeMutableRawPointer?)

#endif
