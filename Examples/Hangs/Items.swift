import Dispatch
import SerialQueue

// A work item that cannot end before the wait for it does. The same shapes are in C in Examples/c/hangs/many.c.

private let saysItem = ["deadlock: thread ", "waits for item \"com.example.index\", which is in queue \"com.example.store\""]

enum ItemItself: Hang {
    static let name = "item-itself"
    static let summary = "a work item waits for itself"
    static let expected = saysItem

    static func withSerialQueue() {
        let store = SerialQueue(label: "com.example.store")
        let index = WorkItem(label: "com.example.index") { index in wait(for: index) }
        store.async(index)
        store.sync {}
    }

    static func withDispatchQueue() {
        final class Holder: @unchecked Sendable {  // written before the closure is submitted
            var item: DispatchWorkItem?
        }
        let store = DispatchQueue(label: "com.example.store"), holder = Holder()
        holder.item = DispatchWorkItem { holder.item!.wait() }
        store.async(execute: holder.item!)
        store.sync {}
    }
}

enum ItemBehind: Hang {
    static let name = "item-behind"
    static let summary = "a task submits a work item behind itself, and waits for it"
    static let expected = saysItem

    static func withSerialQueue() {
        let store = SerialQueue(label: "com.example.store")
        let index = WorkItem(label: "com.example.index") {}
        store.sync {
            store.async(index)
            wait(for: index)
        }
    }

    static func withDispatchQueue() {
        let store = DispatchQueue(label: "com.example.store")
        let index = DispatchWorkItem {}
        store.sync {
            store.async(execute: index)
            index.wait()
        }
    }
}

/// This wait throws; the program continues.
private func wait(for item: WorkItem) {
    do {
        try item.wait()
    } catch {
        say("WorkItem.wait: \(error)")
    }
}
