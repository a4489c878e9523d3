"""A loop pool: posts to a busy loop against a queue with a thread of its own, wake-up of an idle one against a bare eventfd.

Called by ../run.sh. ROUNDS, SCENARIO and QUICK as in bench.py."""

import os
import sys

import bench
import conditions
import measure
import report
import words

TITLES = {"ours": "a queue with a thread of its own",
          "loop": "a queue on a loop pool, which a thread runs with sq_pool_run_forever",
          "eventfd": "by hand: a list under a mutex, an eventfd, poll and read"}

# scenario, figure, title, measured against, bar
ROWS = [("async-1", "wall", "posts to a busy loop, 1 thread, drained", "ours", 1.1),
        ("async-2", "wall", "posts to a busy loop, 2 threads, drained", "ours", 1.1),
        ("async-4", "wall", "posts to a busy loop, 4 threads, drained", "ours", 1.1),
        ("wake-200", "run_p50", "idle loop until it runs, p50", "eventfd", 1.2),
        ("wake-200", "run_p99", "idle loop until it runs, p99", "eventfd", None),
        ("wake-200", "submit_p50", "idle loop, the poster pays, p50", "eventfd", None)]

# 100 loops idle for a second: context switches of the process. The main thread, which waits for that second, makes one or two.
IDLE, IDLE_BAR = "idle-100", 5


def main():
    quick = bench.is_quick()
    rounds = bench.rounds_asked_for(quick)
    wanted = bench.words_of("SCENARIO")
    shown = [row for row in ROWS if not wanted or row[0] in wanted]
    names = list(dict.fromkeys(row[0] for row in shown)) + ([IDLE] if not wanted or IDLE in wanted else [])
    scenarios = [bench.rows.Scenario(name, 1, None) for name in names]
    chosen = bench.contenders(TITLES, bench.command, [])
    try:
        results = measure.run(chosen, scenarios, rounds, quick, conditions.Condition())
    except measure.Failure as failure:
        sys.exit(f"\nThe run is void. {failure}")
    table = ["| what | loop | against | ratio | bar |", "|---|---|---|---|---|"]
    for scenario, metric, title, base, bar in shown:
        loop, other = (results.median(scenario, name, metric) for name in ("loop", base))
        verdict = "" if bar is None else f"{bar} {'holds' if loop / other <= bar else 'missed'}"
        table.append(f"| {title} | {words.figure(loop, 'ns')} | {words.figure(other, 'ns')} ({base}) | {loop / other:.2f} | {verdict} |")
    if IDLE in names:
        loop, other = (results.median(IDLE, name, "switches") for name in ("loop", "eventfd"))
        verdict = f"{IDLE_BAR} {'holds' if loop <= IDLE_BAR else 'missed'}"
        table.append(f"| context switches of 100 idle loops in a second | {loop:.0f} | {other:.0f} (eventfd) | | {verdict} |")
    print("\n".join(table), "\n\n" + report.disturbances(results))
    path = os.path.join(report.folder(not quick and not wanted), "loop.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(["# A loop pool", "", *(f"- {key}: {value}" for key, value in report.facts()), "",
                              f"Medians of {rounds} rounds in alternation. " + report.disturbances(results), "", *table, "",
                              *(f"- {name}: {title}" for name, title in TITLES.items()), ""]))
    print(f"written: {os.path.relpath(path)}")


if __name__ == "__main__":
    main()
