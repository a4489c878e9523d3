// MainLoop.swift: the main queue's thread.

import CSerialQueueMainThread
import Dispatch
import SerialQueue

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import CoreFoundation
#endif

/// Runs the closures of the main queue within Dispatch's own main queue, which `RunLoop`, an async main function and ``dispatchMain()``
/// serve. So both queues, and the main actor, exclude each other, and Swift's check for the main actor holds in the closures.
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

    /// Of the main thread, from the start, so that a deadlock is found in which that thread waits. After Dispatch's dispatchMain, an async main
    /// function included, there is no main thread any more: the threads that take turns to serve Dispatch's main queue own the pool in turn.
    let pool = LoopPool(label: "main")
    /// Readable while closures of the pool are ready. Never cancelled.
    private nonisolated(unsafe) let source: any Dispatch.DispatchSourceRead  // sources may be used from any thread

    private init() {
        sq_main_thread_take(pool.pool)
        source = Dispatch.DispatchSource.makeReadSource(fileDescriptor: pool.fileDescriptor, queue: .main)
        source.setEventHandler { [pool] in pool.runAsGuest(atMost: Self.batch) }
        source.resume()
    }

    /// Whether the caller is on the main thread, or on Dispatch's main queue.
    static var isMain: Bool {
        Dispatch.DispatchQueue.getSpecific(key: key) != nil || sq_main_thread_is_current()
    }

    /// Whether the caller is on Dispatch's main queue, but on another thread than the main one.
    static var isMainElsewhere: Bool {
        Dispatch.DispatchQueue.getSpecific(key: key) != nil && !sq_main_thread_is_current()
    }
}

/// Runs the main queue, that of Dispatch, and the main actor on the main thread. Never returns.
///
/// Traps on another thread.
public func dispatchMain() -> Never {
    guard sq_main_thread_is_current() else { fatalError("dispatchMain: call it on the main thread.") }
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
    let handle = _dispatch_get_main_queue_handle_4CF()
    while true {
        var descriptors = [
            pollfd(fd: handle, events: Int16(POLLIN), revents: 0), pollfd(fd: pool.fileDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, 2, -1)
        if descriptors[1].revents != 0 { pool.runSome(atMost: MainLoop.batch) }
        if descriptors[0].revents != 0 {
            var wakeUps: UInt64 = 0
            _ = read(handle, &wakeUps, 8)
            _dispatch_main_queue_callback_4CF(nil)
        }
    }
}

#endif
