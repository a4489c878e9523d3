"""The Swift side: SerialQueue against DispatchQueue, closures instead of functions; then what is built for Swift concurrency.
Same variables as bench.py, but without CONDITION only a quiet
machine."""

import os
import subprocess
import sys
from collections import namedtuple

import bench
import rows

PACKAGE = os.path.join(bench.BENCHMARKS, "Swift")
SCRATCH = os.path.join(bench.BENCHMARKS, "build", "swift")

Group = namedtuple("Group", "name title titles base table")

GROUPS = [
    Group("swift", "Closures in Swift",
          {"SerialQueue": "SerialQueue, ConcurrentQueue and WorkerPool, this library's Swift layer",
           "DispatchQueue": "DispatchQueue, the toolchain's"},
          "DispatchQueue", rows.SWIFT_ROWS),
    Group("concurrency", "Actors, tasks and ordered queues",
          {"ours": "this library: a SerialQueue as the actor's executor; FIFOQueue; ActorQueue",
           "by-hand": "an executor over a DispatchQueue; an AsyncStream of closures, one task that takes them out, and a task "
                      "as handle for each",
           "chain": "each task awaits the one before it",
           "plain-tasks": "an actor without an executor of its own, and a plain task for each call of it, in no order"},
          "by-hand", rows.CONCURRENCY_ROWS),
    Group("operations", "Operations with dependencies",
          {"WorkOperationQueue": "WorkOperationQueue, this library's", "OperationQueue": "OperationQueue, Foundation's",
           "task-group": "withTaskGroup, which has no dependencies", "dispatch-groups": "a DispatchGroup for each operation, by hand"},
          "OperationQueue", rows.OPERATION_ROWS),
    Group("names", "One program with Dispatch's names",
          {"moved": "SerialQueueDispatch, by type aliases", "Dispatch": "Dispatch, the toolchain's"},
          "Dispatch", rows.NAMES_ROWS),
]


def build(form="", options=()):
    """The program, built with these options in a folder of its own."""
    print(f"building the Swift side, release{form}", file=sys.stderr)
    done = subprocess.run(["swift", "build", "-c", "release", "--package-path", PACKAGE, "--scratch-path", SCRATCH + form, *options],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr + "\nThe Swift side could not be built.")
    return os.path.join(SCRATCH + form, "release", "Bench")


def _flatness(results):
    """How the cost of an item grows with the number that wait; of ours, and of tasks that no queue orders: what many tasks
    cost more than few with any of them, because they do not fit into the processor's caches."""
    sentences = []
    for name, title in (("ours", "Ours"), ("plain-tasks", "Plain tasks")):
        cells = []
        for few, many in rows.FLAT:
            of_few, of_many = results.median(few, name, "wall"), results.median(many, name, "wall")
            if of_few and of_many:
                cells.append(f"{many} {of_many / of_few:.2f}")
        if cells:
            sentences.append(f"{title}, cost of an item with 100,000 pending to that with 1,000: {', '.join(cells)}.")
    return sentences


def main():
    wanted = bench.contenders_asked_for({name: title for group in GROUPS for name, title in group.titles.items()})
    scenarios = bench.words_of("SCENARIO")
    groups = [group for group in GROUPS if rows.scenarios(group.table, scenarios)
              and (not wanted or any(name in group.titles for name in wanted))]
    if not groups:
        sys.exit("SCENARIO: none is called that; there are " + ", ".join(
            scenario.name for group in GROUPS for scenario in rows.scenarios(group.table, [])) + ".")
    program = build()
    for group in groups:
        bench.measure_and_report(group.name, group.title, group.table, group.titles, lambda name: [program, name], group.base,
                                 ["quiet"], _flatness)


if __name__ == "__main__":
    main()
