import Testing

@testable import SerialQueue
@testable import SerialQueueOrdered

@Suite struct DescriptionTests {
    private actor Owner {
        nonisolated let queue = ActorQueue<Owner>()
    }

    @Test func every_public_type_prints_its_name_and_label() {
        let queue = SerialQueue(label: "printed")
        let timer = queue.makeTimer(every: .seconds(3600)) {}
        #expect("\(queue)" == "SerialQueue \"printed\"")
        #expect("\(timer)" == "SerialQueue.Timer")
        #expect("\(WorkerPool(label: "pool", threads: 1))" == "WorkerPool")
        #expect("\(ManualPool())" == "ManualPool")
        #expect("\(LoopPool())" == "LoopPool")
        #expect("\(FIFOQueue(label: "in turn"))" == "FIFOQueue \"in turn\"")
        #expect("\(Owner().queue)" == "ActorQueue<Owner>")
        #expect("\(MainActorQueue.shared)" == "MainActorQueue")
        #expect("\(Once())" == "Once")
        #expect("\(Semaphore(label: "slots", value: 1))" == "Semaphore \"slots\"")
        #expect("\(WorkGroup(label: "members"))" == "WorkGroup \"members\"")
    }

    @Test func statistics_print_each_count_with_its_name() {
        let queue = SerialQueue(label: "counted")
        queue.sync {}
        let expected = "submitted 1, ran 1, discarded 0, withdrawn 0, rejected 0, depth 0, highest depth 0"
        #expect("\(queue.statistics)" == expected)
    }

    @Test func a_stall_prints_a_sentence() {
        var stall = SerialQueue.Stall(
            kind: .running, label: "store", duration: .seconds(2), depth: 3, isSuspended: false, threadID: 41, waitsFor: "disk")
        #expect("\(stall)" == "queue \"store\": a task has been running on thread 41 for 2.0 seconds, which waits for queue \"disk\"; 3 waiting")
        stall.kind = .waiting
        stall.threadID = nil
        stall.waitsFor = nil
        stall.isSuspended = true
        #expect("\(stall)" == "queue \"store\": the oldest task has been waiting for 2.0 seconds, the queue is suspended; 3 waiting")
    }
}
