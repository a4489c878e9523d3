import CSerialQueueSwiftCall

extension WorkQueue {
    /// Enqueues a job, which is run by `run`, or by `late` if the queue has been shut down.
    func enqueue(_ job: UnownedJob, _ run: QueuedJob.Run, late: QueuedJob.Run) {
        let status = QueuedJob.submit(job, of: self, to: queue, run)
        if status == 0 { return }
        guard status == SQ_SWIFT_ESHUTDOWN else { jobRefused(status) }
        AfterShutdown.enqueue(job, for: self, late)
    }
}
