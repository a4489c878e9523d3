import Foundation
import SerialQueue
import Testing

/// Every way to a closure on a queue. The names are in a dump as they stand here: none contains a word of the module's name.
enum Caller: CaseIterable {
    typealias Body = @Sendable () -> Void

    case plain, bounded, member, barrier, memberBarrier, item, memberItem, lateItem, late, lateBarrier, timer, idleTimer, cancelThen, variable
    case submit, run, runBarrier
    case sync, syncWithin, trySync, syncOrRun, syncBarrier, syncBarrierWithin, asyncAndWait, runAndWait

    /// The function that calls the library, as it is called below.
    var name: String {
        "by_\(self)_here"
    }

    func call(_ queue: ConcurrentQueue, _ body: @escaping Body) async throws -> WorkQueue.Timer? {
        switch self {
        case .plain: by_plain_here(queue, body)
        case .bounded: try by_bounded_here(queue, body)
        case .member: by_member_here(queue, body)
        case .barrier: by_barrier_here(queue, body)
        case .memberBarrier: by_memberBarrier_here(queue, body)
        case .item: by_item_here(queue, body)
        case .memberItem: by_memberItem_here(queue, body)
        case .lateItem: by_lateItem_here(queue, body)
        case .late: by_late_here(queue, body)
        case .lateBarrier: by_lateBarrier_here(queue, body)
        case .timer: return by_timer_here(queue, body)
        case .idleTimer: return by_idleTimer_here(queue, body)
        case .cancelThen: by_cancelThen_here(queue, body)
        case .variable: by_variable_here(queue, body)
        case .submit: try await by_submit_here(queue, body)
        case .run: try await by_run_here(queue, body)
        case .runBarrier: try await by_runBarrier_here(queue, body)
        case .sync: by_sync_here(queue, body)
        case .syncWithin: try by_syncWithin_here(queue, body)
        case .trySync: by_trySync_here(queue, body)
        case .syncOrRun: by_syncOrRun_here(queue, body)
        case .syncBarrier: by_syncBarrier_here(queue, body)
        case .syncBarrierWithin: try by_syncBarrierWithin_here(queue, body)
        case .asyncAndWait: try by_asyncAndWait_here(queue, body)
        case .runAndWait: try by_runAndWait_here(queue, body)
        }
        return nil
    }
}

// Each has a second statement, so that its call is no tail call.

@inline(never) func by_plain_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) {
    let accepted = queue.async(body)
    #expect(accepted)
}

@inline(never) func by_bounded_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) throws {
    try queue.async(waitingUpTo: .seconds(100), body)
    #expect(queue.label.hasPrefix("called"))
}

@inline(never) func by_member_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) {
    let accepted = queue.async(in: WorkGroup(), body)
    #expect(accepted)
}

@inline(never) func by_barrier_here(_ queue: ConcurrentQueue, _ body: @escaping Caller.Body) {
    let accepted = queue.asyncBarrier(body)
    #expect(accepted)
}

@inline(never) func by_memberBarrier_here(_ queue: ConcurrentQueue, _ body: @escaping Caller.Body) {
    let accepted = queue.asyncBarrier(in: WorkGroup(), body)
    #expect(accepted)
}

@inline(never) func by_item_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) {
    let accepted = queue.async(WorkItem(body))
    #expect(accepted)
}

@inline(never) func by_memberItem_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) {
    let accepted = queue.async(in: WorkGroup(), WorkItem(body))
    #expect(accepted)
}

@inline(never) func by_lateItem_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) {
    let accepted = queue.asyncAfter(.milliseconds(1), WorkItem(body))
    #expect(accepted)
}

@inline(never) func by_late_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) {
    let accepted = queue.asyncAfter(.milliseconds(1), body)
    #expect(accepted)
}

@inline(never) func by_timer_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) -> WorkQueue.Timer {
    let timer = queue.makeTimer(every: .milliseconds(1), body)
    #expect(queue.label.hasPrefix("called"))
    return timer
}

@inline(never) func by_lateBarrier_here(_ queue: ConcurrentQueue, _ body: @escaping Caller.Body) {
    let accepted = queue.asyncBarrierAfter(.milliseconds(1), body)
    #expect(accepted)
}

@inline(never) func by_idleTimer_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) -> WorkQueue.Timer {
    let timer = queue.makeTimer(body)
    #expect(timer.start(after: .milliseconds(1)))
    return timer
}

@inline(never) func by_cancelThen_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) {
    let accepted = queue.makeTimer {}.cancel(then: body)
    #expect(accepted)
}

@inline(never) func by_variable_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) {
    let submit: (consuming sending @escaping () -> Void) -> Bool = queue.async
    let accepted = submit(body)
    #expect(accepted)
}

@inline(never) func by_submit_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) async throws {
    try await queue.submit(body)
    #expect(queue.label.hasPrefix("called"))
}

@inline(never) func by_run_here(_ queue: WorkQueue, _ body: @escaping Caller.Body) async throws {
    try await queue.run { body() }
    #expect(queue.label.hasPrefix("called"))
}

@inline(never) func by_runBarrier_here(_ queue: ConcurrentQueue, _ body: @escaping Caller.Body) async throws {
    try await queue.runBarrier { body() }
    #expect(queue.label.hasPrefix("called"))
}

@inline(never) func by_sync_here(_ queue: WorkQueue, _ body: Caller.Body) {
    queue.sync(body)
    #expect(queue.label.hasPrefix("called"))
}

@inline(never) func by_syncWithin_here(_ queue: WorkQueue, _ body: Caller.Body) throws {
    try queue.sync(within: .seconds(100), body)
    #expect(queue.label.hasPrefix("called"))
}

@inline(never) func by_trySync_here(_ queue: WorkQueue, _ body: Caller.Body) {
    #expect(queue.trySync(body) != nil)
}

@inline(never) func by_syncOrRun_here(_ queue: WorkQueue, _ body: Caller.Body) {
    queue.syncOrRun(body)
    #expect(queue.label.hasPrefix("called"))
}

@inline(never) func by_syncBarrier_here(_ queue: ConcurrentQueue, _ body: Caller.Body) {
    queue.syncBarrier(body)
    #expect(queue.label.hasPrefix("called"))
}

@inline(never) func by_syncBarrierWithin_here(_ queue: ConcurrentQueue, _ body: Caller.Body) throws {
    try queue.syncBarrier(within: .seconds(100), body)
    #expect(queue.label.hasPrefix("called"))
}

@inline(never) func by_asyncAndWait_here(_ queue: WorkQueue, _ body: Caller.Body) throws {
    try queue.asyncAndWait(body)
    #expect(queue.label.hasPrefix("called"))
}

@inline(never) func by_runAndWait_here(_ queue: WorkQueue, _ body: Caller.Body) throws {
    try queue.runAndWait(body)
    #expect(queue.label.hasPrefix("called"))
}
