import CSerialQueue
import CSerialQueueSwiftCall

extension SerialQueue {
    /// Makes a queue that runs its closures on another queue, its target.
    ///
    /// Queues with one serial target exclude each other, and the target's own closures: they run in the order in which they became
    /// ready. A suspension of the target holds their closures, too. The queue keeps its target.
    ///
    /// A `sync` gets its turn in both queues. In a closure of the target it would wait for itself: it traps, or throws `deadlock`.
    ///
    /// - Parameters:
    ///   - label: Names the queue in messages. It ends at its first NUL character.
    ///   - target: Serial or concurrent, on any pool, and perhaps with a target, too.
    ///   - capacity: How many `async` closures may wait; `nil`: as many as there is memory for. Traps if it is not positive.
    public convenience init(label: String = "", target: WorkQueue, capacity: Int? = nil) {
        var options = Self.options(label, on: nil, priority: .normal, capacity: capacity)
        let made = withExtendedLifetime(target) {
            options.target = target.queue
            return sq_queue_create(label, &options)
        }
        guard let queue = made else { cannotMakeQueue("SerialQueue", label) }
        self.init(owning: queue)
    }

    /// Gives the queue a target, or another one, see ``init(label:target:capacity:)``.
    ///
    /// Call it before the first use of the queue, and of each queue that has it as its target, directly or through others: a closure or a task,
    /// also a delayed one, a timer, a member of a group, a notification, a wait or a shutdown. Traps after that, and if the queue has a pool or
    /// would be a target of itself.
    public func setTarget(_ target: WorkQueue) {
        let error = withExtendedLifetime((self, target)) { sq_queue_set_target(queue, target.queue) }
        guard error == 0 else { cannotSetTarget(label, target.label, error) }
    }
}
