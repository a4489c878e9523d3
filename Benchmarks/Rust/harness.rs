//! What the Rust contenders share: as ../C/harness.h and ../C/scenarios/peers.h, whose scenarios these are.
#![allow(dead_code)]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// A task: a function and a word, as in C; no allocation.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    pub run: fn(usize),
    pub word: usize,
}

pub struct Gate(Mutex<bool>, Condvar);

impl Gate {
    pub const fn new() -> Gate {
        Gate(Mutex::new(false), Condvar::new())
    }
    pub fn open(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_one();
    }
    pub fn pass(&self) {
        let (mut open, waited) = self.1.wait_timeout_while(self.0.lock().unwrap(), Duration::from_secs(60), |open| !*open).unwrap();
        if waited.timed_out() {
            fail("a task has not run for a minute");
        }
        *open = false;
    }
}

/// The one queue of a scenario that checks the order. Only its tasks write, so relaxed loads and stores are plain ones.
#[repr(align(128))]
struct Turns {
    next: [AtomicU64; 16],
    counted: AtomicU64,
    target: AtomicU64,
}

#[allow(clippy::declare_interior_mutable_const)]
const ZERO: AtomicU64 = AtomicU64::new(0);
static TURNS: Turns = Turns { next: [ZERO; 16], counted: AtomicU64::new(0), target: AtomicU64::new(0) };
pub static GATE: Gate = Gate::new();

fn count_and_open() {
    let counted = TURNS.counted.load(Relaxed) + 1;
    TURNS.counted.store(counted, Relaxed);
    if counted == TURNS.target.load(Relaxed) {
        GATE.open();
    }
}

fn in_turn(word: usize) {
    let next = &TURNS.next[word >> 32];
    let number = next.load(Relaxed);
    next.store(number + 1, Relaxed);
    if number != (word & 0xffff_ffff) as u64 {
        fail("a task has run out of its turn");
    }
    count_and_open();
}

pub fn expect_more(tasks: u64) {
    TURNS.target.fetch_add(tasks, Relaxed);
}

pub fn counted() -> u64 {
    TURNS.counted.load(Relaxed)
}

pub fn count_up(_: usize) {
    TURNS.counted.store(TURNS.counted.load(Relaxed) + 1, Relaxed);
}

pub fn task_of(producer: u64, number: u64) -> Task {
    Task { run: in_turn, word: (producer << 32 | number) as usize }
}

pub fn quick() -> bool {
    !matches!(std::env::var("BENCH_QUICK").as_deref(), Err(_) | Ok("") | Ok("0"))
}

pub fn duration(number: u64) -> u64 {
    if quick() { number / 4 } else { number }
}

pub fn fail(why: &str) -> ! {
    eprintln!("\n{}: {why}.", std::env::args().collect::<Vec<_>>().join(", "));
    std::process::exit(1);
}

pub fn expect(what: &str, counted: u64, expected: u64) {
    if counted != expected {
        fail(&format!("the count of {what} came out wrong: {counted} instead of {expected}"));
    }
}

#[repr(C)]
struct TimeSpec {
    seconds: i64,
    nanoseconds: i64,
}

#[repr(C)]
struct MallInfo2([usize; 10]); // of malloc.h

extern "C" {
    fn clock_gettime(clock: i32, time: *mut TimeSpec) -> i32;
    fn mallinfo2() -> MallInfo2;
}

fn processor_time() -> u64 {
    let mut time = TimeSpec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(2 /* CLOCK_PROCESS_CPUTIME_ID */, &mut time) };
    (time.seconds * 1_000_000_000 + time.nanoseconds) as u64
}

pub fn heap_bytes() -> u64 {
    let info = unsafe { mallinfo2() }; // arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost
    (info.0[7] + info.0[4]) as u64
}

pub struct Meter {
    pub wall: u64,
    cpu: u64,
    tasks: u64,
    began: Instant,
    cpu_began: u64,
}

impl Meter {
    pub fn new() -> Meter {
        Meter { wall: 0, cpu: 0, tasks: 0, began: Instant::now(), cpu_began: 0 }
    }
    pub fn start(&mut self) {
        self.cpu_began = processor_time();
        self.began = Instant::now();
    }
    pub fn stop(&mut self, tasks: u64) {
        self.wall += self.began.elapsed().as_nanos() as u64;
        self.cpu += processor_time() - self.cpu_began;
        self.tasks += tasks;
    }
    pub fn report(&self) {
        let tasks = self.tasks as f64;
        metric("tasks", tasks);
        metric("wall", self.wall as f64 / tasks);
        metric("cpu", self.cpu as f64 / tasks);
    }
}

pub fn metric(name: &str, value: f64) {
    print!(",\"{name}\":{value:.3}");
}

/// `pass(from, to)` submits the tasks numbered so from all producers, and returns when they have been submitted.
pub fn submit_from_all(producers: u64, tasks: u64, passes: u32, cold: u32, mut pass: impl FnMut(u64, u64)) {
    let (mut meter, share, mut total) = (Meter::new(), tasks / producers, 0);
    let mut number = 0;
    while number < passes || (cold > 0 && meter.wall < duration(300_000_000)) {
        let mut warm_up = Meter::new();
        let measured = if number < cold { &mut warm_up } else { &mut meter };
        expect_more(share * producers);
        measured.start();
        pass(total, total + share);
        GATE.pass();
        measured.stop(share * producers);
        total += share;
        number += 1;
    }
    std::thread::sleep(Duration::from_millis(1)); // a task that runs twice has time to be seen
    expect("async tasks that ran", counted(), total * producers);
    meter.report();
}

/// Calls `once` without pause, first 1,000 times to warm up.
pub fn again_and_again(nanoseconds: u64, mut once: impl FnMut()) {
    for _ in 0..1000 {
        once();
    }
    let mut meter = Meter::new();
    let (end, mut done) = (Instant::now() + Duration::from_nanos(duration(nanoseconds)), 0);
    meter.start();
    while Instant::now() < end {
        once();
        done += 1;
    }
    meter.stop(done);
    expect("tasks that ran", counted(), done + 1000);
    meter.report();
}

/// One that asks runs until this is set.
pub static ENOUGH: AtomicBool = AtomicBool::new(false);

/// `race` starts all that ask and returns, when ENOUGH has been set, how often any of them has been answered.
pub fn asking(race: impl FnOnce() -> u64) {
    let mut meter = Meter::new();
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_nanos(duration(400_000_000)));
        ENOUGH.store(true, Relaxed);
    });
    meter.start();
    let done = race();
    meter.stop(done);
    expect("tasks that ran", counted(), done);
    meter.report();
}

/// Runs the scenario that the program is asked for: `run(name, number)`, which returns false for one that it does not have.
pub fn main(contender: &str, run: impl FnOnce(&str, u64) -> bool) {
    let scenario = std::env::args().nth(1).unwrap_or_else(|| fail("usage: SCENARIO[-NUMBER]"));
    print!("{{\"contender\":\"{contender}\",\"scenario\":\"{scenario}\"");
    let (name, number) = match scenario.rsplit_once('-') {
        Some((name, digits)) if digits.parse::<u64>().is_ok() => (name, digits.parse().unwrap()),
        _ => (scenario.as_str(), 0),
    };
    if !run(name, number) {
        print!(",\"na\":\"it has no such call\"");
    }
    println!("}}");
    std::process::exit(0);
}
