extension WorkQueue {
    /// Enqueues a job, which is run by `run`, also if the queue has been shut down.
    func enqueue(_ job: UnownedJob, _ run: QueuedJob.Run) {
        let status = QueuedJob.submit(job, to: self, run)
        if status != 0 { jobRefused(status) }
    }
}
