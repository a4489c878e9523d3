import SerialQueue
import SerialQueueOrdered
import Testing

/// Reflecting a value must not end the process: a failing `#expect` does it, and so does `dump`. Swift 6.3 cannot reflect a generic
/// class with a noncopyable field.
@Suite struct ReflectionTests {
    private struct Holder {
        let value: Any
    }

    private actor Owner {
        nonisolated let queue = ActorQueue<Owner>()
    }

    private func described(_ value: Any) -> String {
        var text = ""
        dump(Holder(value: value), to: &text)
        return text
    }

    @Test func every_public_class_can_be_reflected() {
        let queue = SerialQueue(label: "reflected")
        let timer = queue.makeTimer(every: .seconds(3600)) {}
        let owner = Owner()
        #expect(described(queue).contains("SerialQueue"))
        #expect(described(timer).contains("Timer"))
        #expect(described(WorkerPool.shared).contains("WorkerPool"))
        #expect(described(ManualPool()).contains("ManualPool"))
        #expect(described(LoopPool()).contains("LoopPool"))
        #expect(described(FIFOQueue(label: "in turn")).contains("in turn"))
        #expect(described(owner.queue).contains("ActorQueue"))
        #expect(described(owner).contains("Owner"))
        #expect(described(MainActorQueue.shared).contains("MainActorQueue"))
        #expect(described(WorkGroup(label: "members")).contains("WorkGroup \"members\""))
        #expect(described(Semaphore(label: "permits", value: 1)).contains("Semaphore \"permits\""))
        #expect(described(WorkItem(label: "item") {}).contains("WorkItem \"item\""))
        #expect(described(WorkItem.Outcome.ran).contains("ran"))
        #expect(described(Once()).contains("Once"))
        #expect(described(queue.statistics).contains("submitted"))
        #expect(described(SerialQueueError.shutDown).contains("Holder"))
        timer.cancel()
    }
}
