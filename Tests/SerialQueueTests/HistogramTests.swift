import SerialQueue
import Testing

/// Every measured closure counts once, with its own times.
@Suite struct HistogramTests {
    @Test func without_a_start_histograms_are_empty() {
        let queue = SerialQueue()
        queue.sync {}
        #expect(queue.histograms == WorkQueue.Histograms())
        #expect(queue.histograms.running.longest == .zero && queue.histograms.running.p99 == .zero)
    }

    @Test func a_closure_is_counted_in_both_with_its_wait() {
        let pool = ManualPool()
        let queue = SerialQueue(label: "measured", on: pool)
        #expect(queue.startHistograms())
        let clock = ContinuousClock(), began = clock.now
        queue.async {}
        queue.async {}
        #expect(queue.histograms.waiting.count == 0)
        let submitted = clock.now
        while clock.now - submitted < .milliseconds(1) {}
        pool.run()
        let found = queue.histograms, took = clock.now - began
        #expect(found.waiting.count == 2 && found.running.count == 2)
        #expect(found.waiting.quantile(0) >= .microseconds(900) && found.waiting.longest <= took)
        #expect(found.running.sum <= took - .microseconds(900))
        queue.stopHistograms()
        queue.sync {}
        #expect(queue.histograms == found)
    }

    @Test func each_closure_is_counted_with_those_that_wait_behind_it() {
        let pool = ManualPool(), queue = SerialQueue(label: "depths", on: pool)
        #expect(queue.startHistograms())
        for _ in 1...8 { queue.async {} }
        pool.run()
        let depth = queue.histograms.depth
        #expect(depth.count == 8 && depth.sum == 28 && depth.deepest == 7 && depth.quantile(0.5) == 3)
        #expect(depth.buckets.map(\.bound) == [0, 1, 3, 7] && depth.buckets.map(\.count) == [1, 1, 2, 4])
        #expect("\(depth)" == "8 depths, p50 3, p99 7, deepest 7")
        #expect(WorkQueue.histograms(label: "depths").depth == depth)
        queue.sync {}
        #expect(queue.histograms.depth.since(depth).buckets.map(\.bound) == [0])
    }

    @Test func the_sum_of_a_label_has_its_queues_and_those_that_are_gone() {
        #expect(WorkQueue.histograms(label: "summed up") == WorkQueue.Histograms())
        let queue = SerialQueue(label: "summed up")
        #expect(queue.startHistograms())
        queue.sync {}
        for _ in 1...3 {
            let other = SerialQueue(label: "summed up")
            #expect(other.startHistograms())
            other.sync {}
        }
        let found = WorkQueue.histograms(label: "summed up")
        #expect(found.waiting.count == 4 && found.running.count == 4)
        withExtendedLifetime(queue) {}
    }

    @Test func histograms_add_up_and_a_later_one_can_be_taken_apart() {
        var one = WorkQueue.Histogram(), other = WorkQueue.Histogram()
        for milliseconds in 1...100 { one.record(.milliseconds(milliseconds)) }
        other.record(.seconds(1))
        var both = one
        both.merge(other)
        #expect(both.count == 101 && both.longest == .seconds(1) && both.sum == one.sum + .seconds(1))
        #expect(both.since(one) == other)
        #expect(one.p50 >= .milliseconds(50) && one.p50 <= .milliseconds(50) + .milliseconds(50) / 16)
        #expect(one.p99 >= .milliseconds(99) && one.p99 <= .milliseconds(100))
        #expect(both.quantile(1) == .seconds(1))
        #expect(one.buckets.map(\.count).reduce(0, +) == 100 && one.buckets.map(\.bound) == one.buckets.map(\.bound).sorted())
        #expect("\(other)".hasPrefix("1 durations, p50 1.0 seconds"))
    }

    @Test func reflection_shows_a_count_not_its_C_struct() {
        var text = ""
        dump(SerialQueue().histograms, to: &text)
        #expect(text.contains("count: 0"))
    }

    @Test func a_concurrent_queue_has_histograms_too() async throws {
        let queue = ConcurrentQueue(label: "measured", on: .shared)
        #expect(queue.startHistograms())
        for _ in 1...100 { queue.async {} }
        queue.syncBarrier {}
        #expect(queue.histograms.waiting.count == 101)
        #expect(queue.histograms.running.count == 101)
    }
}
