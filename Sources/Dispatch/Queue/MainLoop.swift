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
/// serve. So both queues, and the main actor, exclude each other.
final class MainLoop: Sendable {
    static let shared = MainLoop()
    /// How many closures run before Dispatch's main queue, and so the main actor, has a turn.
    static let batch = 512
    /// Dispatch's main queue has a value under this key, from the first question on.
    private static let key = {
        let key = DispatchSpecificKey<Bool>()
        Dispatch.DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()
    private static let isClaimed = Atomic(false)

    let pool = LoopPool(label: "main")
    private let process = getpid()
    /// Readable while closures of the pool are ready. Never cancelled.
    private nonisolated(unsafe) let source: any Dispatch.DispatchSourceRead  // sources may be used from any thread

    private init() {
        source = Dispatch.DispatchSource.makeReadSource(fileDescriptor: pool.fileDescriptor, queue: .main)
        // After Dispatch's dispatchMain, an async main function without Foundation included, several threads take turns to serve Dispatch's
        // main queue. The pool then has a thread of its own, for which they wait. With a stack size the queue keeps it: a queue that rests gives
        // its thread to others, and the pool takes that one for its owner. The size is that of a main thread.
        let own = SerialQueue(label: "main", stackSize: 8 << 20)
        source.setEventHandler { [pool] in
            if Self.isMainThread {
                pool.runSome(atMost: Self.batch)
            } else {
                _ = try! own.runAndWait { pool.runSome(atMost: Self.batch) }
            }
        }
        source.resume()
    }

    /// Called before a wait for the main queue: on the main thread the pool then knows that this is its thread, and runs the closure here.
    static func claim() {
        if isMainThread {
            guard !isClaimed.exchange(true, ordering: .relaxed) else { return }
            // Suspended: no closure runs by this alone.
            let main = Home.process.main.made
            main?.suspend()
            shared.pool.runSome(atMost: 1)
            main?.resume()
        } else if isMain {
            waitsForMainOnMain()
        }
    }

    /// Called before a wait that may be for closures of the main queue, among others. On Dispatch's main queue elsewhere it changes nothing, and
    /// in the child of a fork, which has no use of its parent's.
    static func claimIfMade() {
        if Home.process.main.made != nil, !isClaimed.load(ordering: .relaxed), isMainThread, shared.process == getpid() { claim() }
    }

    /// Whether the caller is on the main thread, or on Dispatch's main queue.
    static var isMain: Bool {
        isMainThread || Dispatch.DispatchQueue.getSpecific(key: key) != nil
    }

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
    serveMainThread(MainLoop.shared.pool)
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
        if descriptors[1].revents != 0 { pool.runSome(atMost: MainLoop.batch) }
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
