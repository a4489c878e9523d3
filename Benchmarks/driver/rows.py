"""The scenarios and the rows of the table: names, titles, bars and goals (design.md, "Speed")."""

import fnmatch
from collections import namedtuple

# A scenario is run `times` times per contender and round, in at most `most` rounds (None: as many as asked for).
Scenario = namedtuple("Scenario", "name times most")

# A row shows one figure of a scenario. `bar`, `goal`: a ratio to libdispatch, or, if `absolute`, in the row's unit.
Row = namedtuple("Row", "scenario metric title unit bar goal absolute")

CPU_BAR, CPU_GOAL = 1.0, 0.5


def _time(scenario, title, bar, goal, metric="wall"):
    return Row(scenario, metric, title, "ns", bar, goal, False)


C_ROWS = [
    _time("sync-uncontended", "sync, uncontended", 0.90, 0.75),
    _time("async-1", "async, 1 producer, drained", 0.40, 0.20),
    _time("async-2", "async, 2 producers, drained", 0.40, 0.20),
    _time("async-4", "async, 4 producers, drained", 0.55, 0.30),
    _time("async-8", "async, 8 producers, drained", 0.55, 0.30),
    _time("sync-contended-2", "sync, 2 threads contending", 0.05, 0.01),
    _time("sync-contended-4", "sync, 4 threads contending", 0.05, 0.01),
    _time("sync-contended-8", "sync, 8 threads contending", 0.05, 0.01),
    *(_time(f"sync-contended-{n}", f"sync, {n} threads contending", 1.0, 0.5) for n in (64, 256)),
    *(row for n in (4, 8, 16) for row in (
        _time(f"sync-work-{n}", f"{n} threads, 1 µs in sync, 5 µs outside", 0.5, 0.25),
        _time(f"sync-work-{n}", f"{n} threads, the same: p99 of a call", 1.0, 0.5, "call_p99"))),
    *(_time(f"async-and-wait-{n}", f"async_and_wait, {n} threads", 0.10, 0.03) for n in (2, 4, 8)),
    _time("async-sync-1", "async then sync, 1 thread", 0.10, 0.02),
    _time("async-sync-2", "async then sync, 2 threads", 0.10, 0.02),
    _time("async-sync-4", "async then sync, 4 threads", 0.50, 0.20),
    _time("async-sync-8", "async then sync, 8 threads", 0.50, 0.20),
    _time("ping-pong", "two queues to and fro, per hop", 0.30, 0.12),
    _time("wake-200", "idle queue until it runs, p50", 1.1, 0.8, "run_p50"),
    _time("wake-200", "idle queue until it runs, p99", 1.5, 1.0, "run_p99"),
    _time("wake-200", "idle queue, submitter pays, p50", 1.1, 0.5, "submit_p50"),
    _time("create-release", "create and release", 0.7, 0.5),
    _time("create-sync-release", "create, one sync, release", 0.7, 0.5),
    _time("many-100000", "100,000 queues, async + sync each", 0.50, 0.25),
    _time("after-1000", "delayed by 1 ms: late, p50", None, None, "late_p50"),
    _time("after-1000", "delayed by 1 ms: late, p99", None, None, "late_p99"),
    _time("timers-1000000", "10^6 timers, start and cancel each", None, None),
    Row("idle-100", "cpu", "100 idle queues, CPU time in 1 s", "ns", 2e6, 1e5, True),
    Row("memory-unused", "heap", "memory of a queue, never used", "B", 192, 128, True),
    Row("memory-used", "heap", "memory of an idle queue, used", "B", None, None, True),
    Row("memory-used", "resident", "the same, resident, thread included", "B", None, None, True),
]

SWIFT_ROWS = [
    _time("async-1", "async { }, 1 producer, drained", 0.5, None),
    _time("async-2", "async { }, 2 producers, drained", 0.5, None),
    _time("async-4", "async { }, 4 producers, drained", 0.5, None),
    _time("sync-uncontended", "sync { }, uncontended", 0.3, None),
    _time("sync-value", "sync { } that returns a value", 0.3, None),
    _time("sync-contended-2", "sync { }, 2 threads contending", None, None),
    _time("sync-contended-4", "sync { }, 4 threads contending", None, None),
    _time("async-sync-1", "async then sync, 1 thread", None, None),
    _time("async-sync-2", "async then sync, 2 threads", None, None),
    _time("async-sync-4", "async then sync, 4 threads", None, None),
    _time("mixed-10", "10 async, then 1 sync, 1 thread", None, None),
]


def _ordered(kind, name, bar):
    """The rows of a queue of async closures."""
    return [
        _time(kind, f"{name}: tasks, all awaited", bar, None),
        _time(f"{kind}-await", f"{name}: one task, awaited", None, None),
        _time(f"{kind}-enqueue", f"{name}: no handles", None, None),
        _time(f"{kind}-pending-1000", f"{name}: 1,000 pending", None, None),
        _time(f"{kind}-pending-100000", f"{name}: 100,000 pending", None, None),
        _time(f"{kind}-cancel-1000", f"{name}: 1,000, cancelled", None, None),
        _time(f"{kind}-cancel-100000", f"{name}: 100,000, cancelled", None, None),
    ]


CONCURRENCY_ROWS = [
    _time("actor-hop-1", "awaited call to an actor", 0.4, None),
    _time("actor-hop-4", "the same from 4 tasks", None, None),
    *_ordered("fifo", "FIFOQueue", 0.2),
    *_ordered("actor-queue", "ActorQueue", 0.2),
]

# What is to cost the same however many wait: the rows with few and with many.
FLAT = [(f"{kind}-{what}-1000", f"{kind}-{what}-100000") for kind in ("fifo", "actor-queue") for what in ("pending", "cancel")]

# Figures that do not wander from run to run, or whose run takes a second by definition.
_FEW_ROUNDS = {"idle-100": 3, "memory-unused": 1, "memory-used": 1, "many-100000": 3, "timers-1000000": 3}

# Two threads that contend run into each other or pass each other by, depending on where the scheduler puts them, which
# may hold for a whole run; the median of a few runs would be a toss of a coin.
_MANY_TIMES = {"sync-contended-2": 3}


def scenarios(rows, wanted):
    """The scenarios of `rows` that the words of `wanted` name; all, if it is empty."""
    names = []
    for row in rows:
        if row.scenario not in names and (not wanted or any(_names(word, row.scenario) for word in wanted)):
            names.append(row.scenario)
    return [Scenario(name, _MANY_TIMES.get(name, 1), _FEW_ROUNDS.get(name)) for name in names]


def _names(word, scenario):
    """"async" names "async-4", but not "async-sync-4"."""
    return fnmatch.fnmatchcase(scenario, word) or scenario.rpartition("-")[::2] == (word, scenario.split("-")[-1])
