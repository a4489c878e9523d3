"""The rows of the tables: what each shows, its bar and its goal (design.md, "Speed").

The rows of the C side stand in the comments "Rows:" of C/scenarios/*.h, next to the code that they measure:

    scenario | figure | bar and goal | title | how often

- scenario: what the program is asked for; "async-4" is the scenario "async" with the parameter 4.
- figure: the name in the line of JSON that the program prints.
- bar and goal: ratios to libdispatch ("0.5 0.25"), or figures with a unit ("192 128 B"). A condition may have its own:
  "0.5 0.25; busy 1.0". Empty: judged only in conditions that have a bar for all rows. "none": shown, never judged.
- how often, for a figure that hardly varies or varies much: "rounds 1" at most; "times 3" in each round; "busy 3" in each
  round of that condition."""

import fnmatch
import glob
import os
import sys
from collections import namedtuple

# A scenario is run `times` times per contender and round, in at most `most` rounds (None: as many as asked for).
Scenario = namedtuple("Scenario", "name times most")

# A row shows one figure of a scenario. `limits`: bar and goal by the name of the condition, "" for all others; each may
# be None. `absolute`: they are figures in the row's unit, not ratios. `judged`: False if no condition has a bar for it.
Row = namedtuple("Row", "scenario metric title unit limits absolute judged often")

CPU_BAR, CPU_GOAL = 1.0, 0.5

_SCENARIO_FILES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "C", "scenarios", "*.h")


def _number(word):
    return None if word == "none" else float(word)


def _limits(text):
    """({condition: (bar, goal)}, unit or None) of the column "bar and goal"."""
    limits, unit = {"": (None, None)}, None
    for part in filter(None, (part.strip() for part in text.split(";"))):
        words = part.split()
        condition = words.pop(0) if words[0] in ("quiet", "one", "busy") else ""
        if words[-1] in ("B", "ns"):
            unit = words.pop()
        numbers = [_number(word) for word in words]
        limits[condition] = (numbers[0], numbers[1] if len(numbers) > 1 else None)
    return limits, unit


def _row(line):
    cells = [cell.strip() for cell in line.split("|")]
    scenario, metric, bars, title = cells[:4]
    limits, unit = _limits(bars)
    often = (cells[4] if len(cells) > 4 else "").split()
    return Row(scenario, metric, title, unit or "ns", limits, unit is not None, bars != "none",
               dict(zip(often[::2], map(int, often[1::2]))))


def of_file(path, begin="Rows:"):
    """The rows in the comment "Rows:" of a file, in their order."""
    found, within = [], False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            text = line.strip().lstrip("/").lstrip("*").strip()
            if text.startswith(begin):
                within = True
            elif within and "|" in text:
                try:
                    found.append(_row(text))
                except (ValueError, IndexError):
                    sys.exit(f"{path}:{number}: this is no row; driver/rows.py describes them.")
            else:
                within = False
    return found


C_ROWS = [row for path in sorted(glob.glob(_SCENARIO_FILES)) for row in of_file(path)]

# Against other languages' queues: ratios to the best of them.
PEER_ROWS = of_file(os.path.join(os.path.dirname(_SCENARIO_FILES), "peers.h"), "Peers:")


def _time(scenario, title, bar=None):
    return Row(scenario, "wall", title, "ns", {"": (bar, None)}, False, True, {})


SWIFT_ROWS = [
    _time("async-1", "async { }, 1 producer, drained", 0.5),
    _time("async-2", "async { }, 2 producers, drained", 0.5),
    _time("async-4", "async { }, 4 producers, drained", 0.5),
    _time("sync-uncontended", "sync { }, uncontended", 0.3),
    _time("sync-value", "sync { } that returns a value", 0.3),
    _time("sync-contended-2", "sync { }, 2 threads contending"),
    _time("sync-contended-4", "sync { }, 4 threads contending"),
    _time("async-sync-1", "async then sync, 1 thread"),
    _time("async-sync-2", "async then sync, 2 threads"),
    _time("async-sync-4", "async then sync, 4 threads"),
    _time("mixed-10", "10 async, then 1 sync, 1 thread"),
    _time("item", "WorkItem: submit, run, wait", 0.3),
    _time("item-cancel", "WorkItem: submit and cancel, then drain", 0.5),
    _time("group", "WorkGroup: enter and leave", 0.6),
    _time("group-async", "async(in: group) { }, drained", 0.65),
    _time("group-notify", "WorkGroup: leave, notified", 0.4),
    _time("semaphore", "Semaphore: signal and wait", 0.9),
    _time("concurrent-read", "ConcurrentQueue: sync { }", 0.6),
    _time("concurrent-barrier", "ConcurrentQueue: syncBarrier { }", 0.6),
    _time("concurrent-mixed-2", "ConcurrentQueue: 2 threads, 1 % barriers", 0.25),
    _time("concurrent-async", "ConcurrentQueue: async { }, drained", 0.4),
    _time("apply-1000000", "WorkerPool.apply, per iteration", 1.0),
    _time("apply-call", "WorkerPool.apply, per call of two", 1.0),
]


def _ordered(kind, name, bar):
    """The rows of a queue of async closures."""
    return [
        _time(kind, f"{name}: tasks, all awaited", bar),
        _time(f"{kind}-await", f"{name}: one task, awaited"),
        _time(f"{kind}-enqueue", f"{name}: no handles"),
        _time(f"{kind}-pending-1000", f"{name}: 1,000 pending"),
        _time(f"{kind}-pending-100000", f"{name}: 100,000 pending"),
        _time(f"{kind}-cancel-1000", f"{name}: 1,000, cancelled"),
        _time(f"{kind}-cancel-100000", f"{name}: 100,000, cancelled"),
    ]


CONCURRENCY_ROWS = [
    _time("actor-hop-1", "awaited call to an actor", 0.4),
    _time("actor-hop-4", "the same from 4 tasks"),
    *_ordered("fifo", "FIFOQueue", 0.2),
    *_ordered("actor-queue", "ActorQueue", 0.2),
]

NAMES_ROWS = [
    _time("names-async", "async, drained", 1.0),
    _time("names-sync", "sync", 1.0),
    _time("names-group", "async(group:), drained", 1.0),
    _time("names-after", "asyncAfter(deadline:), waited for", 1.0),
]


OPERATION_ROWS = [
    _time("operations", "independent operations", 0.2),
    _time("operations-chain-4000", "a chain of 4,000, the last added first", 0.01),
    _time("operations-graph-1000", "1,000 operations with 3 random dependencies each, in random order"),
    Row("operations-pending-100000", "heap", "memory of an operation that waits", "B", {"": (None, None)}, False, False, {}),
]

# Pairs whose cost per item must be the same with few and with many items waiting.
FLAT = [(f"{kind}-{what}-1000", f"{kind}-{what}-100000") for kind in ("fifo", "actor-queue") for what in ("pending", "cancel")]


def scenarios(rows, wanted, condition=""):
    """The scenarios of `rows` that the words of `wanted` name; all, if it is empty. `condition`: its name."""
    found = {}
    for row in rows:
        if not wanted or any(_names(word, row.scenario) for word in wanted):
            often = found.setdefault(row.scenario, {})
            often.update(row.often)
    return [Scenario(name, often.get(condition, often.get("times", 1)), often.get("rounds")) for name, often in found.items()]


def _names(word, scenario):
    """"async" names "async-4", but not "async-sync-4"."""
    return fnmatch.fnmatchcase(scenario, word) or scenario.rpartition("-")[::2] == (word, scenario.split("-")[-1])
