//! A serial queue of a channel and a thread that takes tasks out of it: the scenarios for std's and crossbeam's channels alike.

use crate::harness::*;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

pub trait Channels {
    type Sender: Clone + Send;
    type Bounded: Clone + Send;
    type Reply;
    /// A new queue: where tasks get in, and its thread, which ends when the last sender is gone.
    fn unbounded() -> (Self::Sender, thread::JoinHandle<()>);
    fn bounded(capacity: usize) -> (Self::Bounded, thread::JoinHandle<()>);
    fn send(queue: &Self::Sender, task: Task);
    fn send_bounded(queue: &Self::Bounded, task: Task);
    /// A channel for answers, which one that asks uses again and again.
    fn reply() -> Self::Reply;
    fn answer(reply: &Self::Reply);
    fn wait(reply: &Self::Reply);
}

fn submit<S: Clone + Send>(queue: &S, send: fn(&S, Task), producers: u64, from: u64, to: u64) {
    let one = move |producer: u64, queue: &S| (from..to).for_each(|number| send(queue, task_of(producer, number)));
    thread::scope(|scope| {
        for producer in 1..producers {
            let queue = queue.clone();
            scope.spawn(move || one(producer, &queue));
        }
        one(0, queue);
    });
}

/// Runs on the queue: counts, and answers. The word is the address of a reply channel.
fn answer<C: Channels>(word: usize) {
    count_up(0);
    C::answer(unsafe { &*(word as *const C::Reply) });
}

fn ask<C: Channels>(queue: &C::Sender, reply: &C::Reply) {
    C::send(queue, Task { run: answer::<C>, word: reply as *const C::Reply as usize });
    C::wait(reply);
}

fn ask_from_all<C: Channels>(threads: u64) -> u64 {
    let queue = C::unbounded().0;
    let asker = |queue: C::Sender| {
        let (reply, mut done) = (C::reply(), 0);
        while !ENOUGH.load(Relaxed) {
            ask::<C>(&queue, &reply);
            done += 1;
        }
        std::mem::forget(reply); // its sender may still be at the end of the last answer
        done
    };
    thread::scope(|scope| {
        let start = |_| {
            let queue = queue.clone();
            scope.spawn(move || asker(queue))
        };
        let all: Vec<_> = (0..threads).map(start).collect();
        all.into_iter().map(|each| each.join().unwrap()).sum()
    })
}

pub fn run<C: Channels>(name: &str, number: u64) -> bool {
    match name {
        "backlog-cold" | "backlog" => {
            let (queue, _thread) = C::unbounded();
            let passes = if name == "backlog" { (2, 1) } else { (1, 0) };
            submit_from_all(number, duration(2_000_000), passes.0, passes.1, |from, to| submit(&queue, C::send, number, from, to));
        }
        "bounded" => {
            let queue = C::bounded(1024).0;
            submit_from_all(number, 500_000, 2, 1, |from, to| submit(&queue, C::send_bounded, number, from, to));
        }
        "sync-contended" => asking(|| ask_from_all::<C>(number)),
        "async-wait" => {
            let (queue, reply) = (C::unbounded().0, C::reply());
            again_and_again(300_000_000, || ask::<C>(&queue, &reply));
        }
        "single" => {
            let reply = C::reply();
            again_and_again(300_000_000, || {
                let (queue, thread) = C::unbounded();
                ask::<C>(&queue, &reply);
                drop(queue);
                thread.join().unwrap();
            });
        }
        _ => return false,
    }
    true
}
