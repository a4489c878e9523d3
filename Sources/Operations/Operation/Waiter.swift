import SerialQueue

/// A caller that waits for an operation, or for a queue's progress. It waits for a group of its own with one member, which leaves at
/// the end, so it shows in reports under the label.
///
/// Unchecked Sendable: `refusal` is under the lock of ``OperationGraph``, and fixed after the member has left.
final class Waiter: @unchecked Sendable {
    let group: WorkGroup
    /// Why the wait would never end.
    var refusal: String?

    init(for label: String) {
        group = WorkGroup(label: label)
        group.enter()
    }
}
