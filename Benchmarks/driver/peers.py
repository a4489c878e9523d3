"""This library against what one would use instead: channels and executors of other libraries and languages.

Called by ../run.sh with the folder of the toolchain. Builds the programs (../C, ../Rust, ../Go, ../Java), each of which has the scenarios of
../C/scenarios/peers.h. SCENARIO, CONTENDER, CONDITION, ROUNDS, QUICK and PATIENCE as in bench.py; three rounds without, one if quick."""

import os
import subprocess
import sys

import bench
import conditions
import measure
import report
import rows

ROOT = os.path.dirname(bench.BENCHMARKS)

# title, and what scripts/need must find on this machine
PEERS = {"ours": ("this library, default settings", ""),
         "ours-pooled": ("this library, a queue on the shared pool", ""),
         "libdispatch": ("the Swift toolchain's; for a capacity a semaphore by hand", ""),
         "rust-std": ("Rust: std's channel, and a thread that takes tasks out of it", "rustc"),
         "crossbeam": ("Rust: crossbeam's channel, and a thread that takes tasks out of it", "rustc cargo crate-crossbeam"),
         "tokio": ("Rust: tokio's mpsc channel, and a task that takes tasks out of it", "rustc cargo crate-tokio"),
         "go": ("Go: a channel, and a goroutine that takes tasks out of it", "go"),
         "java": ("Java: single-thread executor; on a ForkJoinPool, pooled; ArrayBlockingQueue, bounded; ScheduledThreadPoolExecutor, timers", "javac"),
         "tbb": ("oneTBB: a concurrent_queue, and a task that empties it; concurrent_bounded_queue and a thread", "oneapi/tbb/version.h"),
         "asio": ("Asio: a strand on a pool of one thread per processor", "asio.hpp"),
         "uv": ("libuv: a loop on a thread, a list under a mutex and uv_async_send", "uv.h")}
TITLES = {name: title for name, (title, _) in PEERS.items()}
OURS = ("ours", "ours-pooled")

LIMIT = 10  # seconds for one measurement of a peer; most take less than three

# Rows whose bar is not against the best of all: what the bar is against.
AGAINST = {**{scenario: ("java",) for scenario in ("timers-1000000", "timer-brief", "timers-plain-1000000", "timer-brief-plain")},
           **{f"bounded-{producers}": ("crossbeam",) for producers in (1, 2, 4, 8)},
           "async-wait": [name for name in PEERS if name != "go"]}  # goroutines change without a thread's waking


def _build(names, toolchain):
    """Builds what can be built here. Returns the names of those."""
    there = []
    for name in names:
        missing = subprocess.run([os.path.join(ROOT, "scripts", "need"), "missing", *PEERS[name][1].split()], capture_output=True,
                                 text=True, check=False).stdout.strip()
        if missing:
            print(f"skipped: {name}; to measure it too: apt-get install {missing}", file=sys.stderr)
        else:
            there.append(name)
    core = os.environ.get("CORE")
    print(f"building {', '.join(there)}", file=sys.stderr)
    done = subprocess.run(["make", "--no-print-directory", "-s", "-C", os.path.join(bench.BENCHMARKS, "C"), f"-j{os.cpu_count()}",
                           f"TOOLCHAIN={toolchain}", *([f"CORE={os.path.abspath(core)}"] if core else []), *there], check=False)
    if done.returncode != 0:
        sys.exit("The contenders could not be built.")
    return there


def _best(scenario, metric, results, names):
    figures = {name: results.median(scenario, name, metric) for name in names}
    figures = {name: figure for name, figure in figures.items() if figure is not None}
    return min(figures, key=figures.get, default=None)


def against_the_best(table, results, names):
    """Enters the best peer of each row as a contender of its own, "best". Returns the rows, each with the name of that
    peer, those that are lost first."""
    peers = [name for name in names if name not in OURS]
    found = []
    for row in table:
        best = (_best(row.scenario, row.metric, results, [name for name in peers if name in AGAINST.get(row.scenario, peers)])
                or _best(row.scenario, row.metric, results, peers))
        if best:
            results.figures[row.scenario]["best"] = results.figures[row.scenario][best]
            found.append(row._replace(title=f"{row.title}: {best}"))
    return sorted(found, key=lambda row: -(results.ratio(row.scenario, "ours", row.metric, "best") or 0))


def _losses(table, results):
    lost = [row.title for row in table if (results.ratio(row.scenario, "ours", row.metric, "best") or 0) > 1]
    return f"Behind the best peer in {len(lost)} of {len(table)} rows" + (f": {'; '.join(lost)}." if lost else ".")


def main():
    wanted = bench.contenders_asked_for(TITLES)
    words, quick = bench.words_of("SCENARIO"), bench.is_quick()
    if not rows.scenarios(rows.PEER_ROWS, words):
        sys.exit("SCENARIO: none is called that; there are " +
                 ", ".join(scenario.name for scenario in rows.scenarios(rows.PEER_ROWS, [])) + ".")
    names = _build([name for name in PEERS if not wanted or name in wanted or name == "ours"], sys.argv[1])
    chosen = [measure.Contender(name, TITLES[name], bench.command(name), limit=None if name in OURS else LIMIT) for name in names]
    best = measure.Contender("best", "the best of the peers in each row, named there; where the bar is against one of them, that one", [])
    rounds = bench.rounds_asked_for(False, 1 if quick else 3)
    for condition in conditions.asked_for(conditions.ALL):
        table = [row for row in rows.PEER_ROWS if condition.absolute or not row.absolute]
        scenarios = rows.scenarios(table, words, condition.name)
        if not scenarios:
            print(f"{condition.title}: has no such row", file=sys.stderr)
            continue
        try:
            with condition:
                results = measure.run(chosen, scenarios, rounds, quick, condition)
        except measure.Failure as failure:
            sys.exit(f"\nThe run is void. {failure}")
        table = against_the_best([row for row in table if row.scenario in results.figures], results, names)
        missing = [name for name in PEERS if name not in names]
        late = [f"{name} in {scenario}" for (scenario, name), why in results.reasons.items() if str(LIMIT) in why]
        remarks = [_losses(table, results), *([f"Not ended after {LIMIT} s: {', '.join(late)}."] if late else []), *([f"Not measured here: {', '.join(missing)}."] if missing else [])]
        report.write("peers", f"The C core against what one would use instead, {condition.title}", condition, table, results,
                     [chosen[0], best, *chosen[1:]], rounds, "best",
                     not (quick or words or wanted or bench.hides_load(condition)), remarks, (None, None))


if __name__ == "__main__":
    main()
