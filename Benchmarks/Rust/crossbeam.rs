//! crossbeam's channel, without and with a capacity, and a thread that takes tasks out of it. (librust-crossbeam-dev)
mod harness;
mod threads;

use harness::Task;
use crossbeam::channel::{bounded, unbounded, Receiver, Sender};
use std::thread::{spawn, JoinHandle};

struct Crossbeam;

impl threads::Channels for Crossbeam {
    type Sender = Sender<Task>;
    type Bounded = Sender<Task>;
    type Reply = (Sender<()>, Receiver<()>);

    fn unbounded() -> (Sender<Task>, JoinHandle<()>) {
        let (queue, tasks) = unbounded();
        (queue, run_all(tasks))
    }
    fn bounded(capacity: usize) -> (Sender<Task>, JoinHandle<()>) {
        let (queue, tasks) = bounded(capacity);
        (queue, run_all(tasks))
    }
    fn send(queue: &Sender<Task>, task: Task) {
        queue.send(task).unwrap()
    }
    fn send_bounded(queue: &Sender<Task>, task: Task) {
        queue.send(task).unwrap()
    }
    fn reply() -> Self::Reply {
        bounded(1)
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
    harness::main("crossbeam", threads::run::<Crossbeam>);
}
