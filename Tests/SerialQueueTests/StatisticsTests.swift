import SerialQueue
import Testing

@Suite struct StatisticsTests {
    @Test func a_new_queue_has_done_nothing() {
        let counts = SerialQueue().statistics
        #expect(counts == SerialQueue().statistics)
        #expect(counts.submitted == 0)
        #expect(counts.ran == 0)
        #expect(counts.discarded == 0)
        #expect(counts.withdrawn == 0)
        #expect(counts.rejected == 0)
        #expect(counts.depth == 0)
        #expect(counts.highestDepth == 0)
    }

    @Test func what_ran_is_counted_sync_and_async_alike() {
        let queue = SerialQueue()
        for _ in 0..<10 {
            queue.async {}
        }
        for _ in 0..<5 {
            queue.sync {}
        }
        let counts = queue.statistics
        #expect(counts.submitted == 15)
        #expect(counts.ran == 15)
        #expect(counts.depth == 0)
    }

    @Test func depth_counts_what_waits_and_not_what_runs() {
        let queue = SerialQueue()
        #expect(queue.depth == 0)
        let holdup = Holdup { queue.async($0) }
        #expect(queue.depth == 0)
        for waiting in 1...100 {
            queue.async {}
            #expect(queue.depth == waiting)
        }
        let counts = queue.statistics
        #expect(counts.submitted == 101)
        #expect(counts.ran == 1)
        #expect(counts.depth == 100)
        holdup.finish()
        queue.sync {}
        #expect(queue.depth == 0)
        #expect(queue.statistics.highestDepth >= 100)
        #expect(queue.statistics.ran == 102)
    }
}
