//! std's channel (mpsc; sync_channel for a capacity), and a thread that takes tasks out of it.
mod harness;
mod threads;

use harness::Task;
use std::sync::mpsc::{channel, sync_channel, Receiver, Sender, SyncSender};
use std::thread::{spawn, JoinHandle};

struct Std;

impl threads::Channels for Std {
    type Sender = Sender<Task>;
    type Bounded = SyncSender<Task>;
    type Reply = (SyncSender<()>, Receiver<()>);

    fn unbounded() -> (Sender<Task>, JoinHandle<()>) {
        let (queue, tasks) = channel();
        (queue, run_all(tasks))
    }
    fn bounded(capacity: usize) -> (SyncSender<Task>, JoinHandle<()>) {
        let (queue, tasks) = sync_channel(capacity);
        (queue, run_all(tasks))
    }
    fn send(queue: &Sender<Task>, task: Task) {
        queue.send(task).unwrap()
    }
    fn send_bounded(queue: &SyncSender<Task>, task: Task) {
        queue.send(task).unwrap()
    }
    fn reply() -> Self::Reply {
        sync_channel(1)
    }
    fn answer(reply: &Self::Reply) {
        reply.0.send(()).unwrap()
    }
    fn wait(reply: &Self::Reply) {
        reply.1.recv().unwrap()
    }
}

fn run_all(tasks: Receiver<Task>) -> JoinHandle<()> {
    spawn(move || tasks.iter().for_each(|task| (task.run)(task.word)))
}

fn main() {
    harness::main("rust-std", threads::run::<Std>);
}
