//! tokio: an mpsc channel and a task that takes tasks out of it, on the runtime with a thread per processor. Who submits or asks is a task
//! of the runtime, too. (librust-tokio-dev)
mod harness;

use harness::*;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, Notify};
use tokio::task::JoinHandle;

type Queue = mpsc::UnboundedSender<Task>;

fn queue() -> (Queue, JoinHandle<()>) {
    let (queue, mut tasks) = mpsc::unbounded_channel::<Task>();
    let runs = tokio::spawn(async move {
        while let Some(task) = tasks.recv().await {
            (task.run)(task.word);
        }
    });
    (queue, runs)
}

fn bounded(capacity: usize) -> mpsc::Sender<Task> {
    let (queue, mut tasks) = mpsc::channel::<Task>(capacity);
    tokio::spawn(async move {
        while let Some(task) = tasks.recv().await {
            (task.run)(task.word);
        }
    });
    queue
}

fn submit(queue: &Queue, producers: u64, from: u64, to: u64) {
    for producer in 0..producers {
        let queue = queue.clone();
        tokio::spawn(async move { (from..to).for_each(|number| queue.send(task_of(producer, number)).unwrap()) });
    }
}

fn submit_bounded(queue: &mpsc::Sender<Task>, producers: u64, from: u64, to: u64) {
    for producer in 0..producers {
        let queue = queue.clone();
        tokio::spawn(async move {
            for number in from..to {
                queue.send(task_of(producer, number)).await.unwrap();
            }
        });
    }
}

/// Runs on the queue: counts, and answers. The word is the address of the asker's Notify.
fn answer(word: usize) {
    count_up(0);
    unsafe { &*(word as *const Notify) }.notify_one();
}

async fn ask(queue: &Queue, reply: &Arc<Notify>) {
    queue.send(Task { run: answer, word: Arc::as_ptr(reply) as usize }).unwrap();
    reply.notified().await;
}

async fn asker(queue: Queue) -> u64 {
    let (reply, mut done) = (Arc::new(Notify::new()), 0);
    while !ENOUGH.load(Relaxed) {
        ask(&queue, &reply).await;
        done += 1;
    }
    std::mem::forget(reply); // the last answer may still be at its end
    done
}

async fn ask_from_all(tasks: u64) -> u64 {
    let queue = queue().0;
    let all: Vec<_> = (0..tasks).map(|_| tokio::spawn(asker(queue.clone()))).collect();
    let mut done = 0;
    for each in all {
        done += each.await.unwrap();
    }
    done
}

/// Two queues; a task that runs on one submits the next to the other.
struct Sides {
    queues: [Queue; 2],
    hops: u64,
}

static mut SIDES: Option<Sides> = None; // set before the first task; its count is only touched by the task that is under way

fn hop(side: usize) {
    let sides = unsafe { (*std::ptr::addr_of_mut!(SIDES)).as_mut().unwrap() };
    sides.hops -= 1;
    if sides.hops == 0 {
        GATE.open();
    } else {
        sides.queues[1 - side].send(Task { run: hop, word: 1 - side }).unwrap();
    }
}

fn to_and_fro() {
    unsafe { SIDES = Some(Sides { queues: [queue().0, queue().0], hops: 0 }) };
    let (mut meter, mut pass) = (Meter::new(), 0);
    while pass < 2 || meter.wall < duration(300_000_000) {
        let mut warm_up = Meter::new();
        let measured = if pass == 0 { &mut warm_up } else { &mut meter };
        measured.start();
        let sides = unsafe { (*std::ptr::addr_of_mut!(SIDES)).as_mut().unwrap() };
        sides.hops = 10_000;
        sides.queues[0].send(Task { run: hop, word: 0 }).unwrap();
        GATE.pass();
        measured.stop(10_000);
        pass += 1;
    }
    meter.report();
}

/// A timer that is live: a boxed sleep that has been polled once, as by timeout() or select!. Dropped, it is cancelled.
struct Timer(Pin<Box<tokio::time::Sleep>>);

impl Future for Timer {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match self.0.as_mut().poll(context) {
            Poll::Ready(()) => fail("a timer has fired"),
            Poll::Pending => Poll::Ready(()),
        }
    }
}

async fn start_timer(after: Duration) -> Timer {
    let mut timer = Timer(Box::pin(tokio::time::sleep(after)));
    (&mut timer).await;
    timer
}

/// Starts `count` timers that are live at the same time, and cancels them in another order.
async fn timers(count: u64) {
    let mut meter = Meter::new();
    let mut all: Vec<Option<Timer>> = Vec::with_capacity(count as usize);
    meter.start();
    for number in 0..count {
        all.push(Some(start_timer(Duration::from_micros(3_600_000_000 + number * 7919 % count)).await));
    }
    for number in 0..count {
        all[(number * 104_729 % count) as usize] = None;
    }
    meter.stop(count);
    meter.report();
}

async fn timer_brief() {
    let (mut meter, mut pass) = (Meter::new(), 0);
    while pass < 2 || meter.wall < duration(300_000_000) {
        let mut warm_up = Meter::new();
        let measured = if pass == 0 { &mut warm_up } else { &mut meter };
        measured.start();
        for _ in 0..1000 {
            drop(start_timer(Duration::from_secs(3600)).await);
        }
        measured.stop(1000);
        pass += 1;
    }
    meter.report();
}

fn memory_unused(runtime: &Runtime) {
    let (_first, heap) = (queue(), heap_bytes());
    let all: Vec<_> = (0..2000).map(|_| queue()).collect();
    runtime.block_on(async { tokio::time::sleep(Duration::from_millis(100)).await }); // each has begun to wait
    metric("heap", (heap_bytes() - heap) as f64 / 2000.0 - std::mem::size_of_val(&all[0]) as f64);
}

fn run(name: &str, number: u64) -> bool {
    let runtime = Runtime::new().unwrap();
    let _here = runtime.enter();
    match name {
        "backlog-cold" | "backlog" => {
            let queue = queue().0;
            let passes = if name == "backlog" { (2, 1) } else { (1, 0) };
            submit_from_all(number, duration(2_000_000), passes.0, passes.1, |from, to| submit(&queue, number, from, to));
        }
        "bounded" => {
            let queue = bounded(1024);
            submit_from_all(number, 500_000, 2, 1, |from, to| submit_bounded(&queue, number, from, to));
        }
        "sync-contended" => asking(|| runtime.block_on(async { tokio::spawn(ask_from_all(number)).await.unwrap() })),
        "async-wait" => {
            let (queue, reply) = (queue().0, Arc::new(Notify::new()));
            again_and_again(300_000_000, || runtime.block_on(ask(&queue, &reply)));
        }
        "to-and-fro" => to_and_fro(),
        "single" | "single-pooled" => {
            let reply = Arc::new(Notify::new());
            again_and_again(300_000_000, || runtime.block_on(ask(&queue().0, &reply)));
        }
        "timers" | "timers-plain" => runtime.block_on(async { tokio::spawn(timers(number)).await.unwrap() }),
        "timer-brief" | "timer-brief-plain" => runtime.block_on(async { tokio::spawn(timer_brief()).await.unwrap() }),
        "memory-unused" => memory_unused(&runtime),
        _ => return false,
    }
    true
}

fn main() {
    harness::main("tokio", run);
}
