"""Rewrites the table of figures in README.md from the whole runs in results/runs. Called by ../run.sh readme.

A figure of one run says little: where threads meet, it depends on where the scheduler puts them. So the table shows the
range over all runs of the same sources of the core as the latest run. Old files in results/runs can be deleted."""

import glob
import json
import os
import re
import statistics
import sys

import conditions
import report
import rows
import table
import words

README = os.path.join(os.path.dirname(report.BENCHMARKS), "README.md")
BEGIN, END = "<!-- figures: written by Benchmarks/run.sh readme -->", "<!-- end of figures -->"
BASE, OURS = "libdispatch", "ours"

# scenario and figure of the rows that the README shows
SHOWN = [("sync-uncontended", "wall"), ("sync-contended-2", "wall"), ("sync-contended-8", "wall"), ("sync-contended-64", "wall"),
         ("sync-work-4", "wall"), ("sync-work-4", "call_p99"), ("async-1", "wall"), ("async-8", "wall"),
         ("async-sync-2", "wall"), ("async-sync-8", "wall"), ("async-and-wait-4", "wall"), ("ping-pong", "wall"),
         ("wake-200", "run_p50"), ("create-release", "wall"), ("many-100000", "wall"), ("timers-1000000", "wall"),
         ("memory-unused", "heap"), ("memory-used", "heap")]


def _runs():
    """{condition: runs} of the core that the latest run measured."""
    runs = []
    for path in glob.glob(os.path.join(report.RUNS, "c-*.json")):
        with open(path, encoding="utf-8") as file:
            runs.append(json.load(file))
    if not runs:
        sys.exit("There is no whole run in Benchmarks/results/runs; `make bench` makes one.")
    core = max(runs, key=lambda run: run["facts"]["date"])["core"]
    return {name: [run for run in runs if run["condition"] == name and run["core"] == core] for name in conditions.ALL}


def _figures(runs, row, contender):
    found = [run["medians"].get(row.scenario, {}).get(contender, {}).get(row.metric) for run in runs]
    return [figure for figure in found if figure is not None]


def _ratios(runs, row):
    pairs = [(_figures([run], row, OURS), _figures([run], row, BASE)) for run in runs]
    return [own[0] / base[0] for own, base in pairs if own and base and base[0]]


def _range(values, say):
    if not values:
        return ""
    low, high = say(min(values)), say(max(values))
    return low if low == high else f"{low}–{high}"


def _line(runs, row):
    quiet = runs["quiet"]
    cells = [row.title]
    for contender in (BASE, OURS):
        figures = _figures(quiet, row, contender)
        cells.append(words.figure(statistics.median(figures), row.unit) if figures else "n/a")
    return cells + [_range(_ratios(runs[name], row), words.ratio) for name in conditions.ALL]


def _processors(facts):
    return next(part for part in facts["machine"].split(", ") if part.endswith("processors"))


def _block(runs):
    """What stands between the marks."""
    facts = max((run for each in runs.values() for run in each), key=lambda run: run["facts"]["date"])["facts"]
    header = [_processors(facts), f"{BASE}, quiet", "this library, quiet", "ratio, quiet", "ratio, one processor",
              "ratio, busy"]
    of_row = {(row.scenario, row.metric): row for row in rows.C_ROWS}
    missing = [name for name in SHOWN if name not in of_row]
    if missing:
        sys.exit(f"driver/readme.py: there are no rows {missing}.")
    counts = ", ".join(f"{len(runs[name])} {name}" for name in conditions.ALL)
    text = [BEGIN, table.markdown([header] + [_line(runs, of_row[name]) for name in SHOWN]), "",
            f"Medians of the runs ({counts}); ratios: their range over the runs. {facts['machine']}, {facts['system']}, "
            f"commit {facts['commit']}.", ""]
    for name in conditions.ALL:
        condition = conditions.named(name)
        if os.path.exists(os.path.join(report.BENCHMARKS, "results", f"c{condition.suffix}.svg")):
            chart = f"![ratios to {BASE}, {condition.title}](Benchmarks/results/c{condition.suffix}.svg)"
            text += [f"[{chart}](Benchmarks/results/c{condition.suffix}.md)", ""]
    return "\n".join([*text, END])


def main():
    with open(README, encoding="utf-8") as file:
        before = file.read()
    if before.count(BEGIN) != 1 or before.count(END) != 1:
        sys.exit(f"README.md must have one line \"{BEGIN}\" and, below it, one line \"{END}\".")
    block = _block(_runs())
    after = re.sub(re.escape(BEGIN) + ".*" + re.escape(END), lambda _: block, before, flags=re.DOTALL)
    with open(README, "w", encoding="utf-8") as file:
        file.write(after)
    print("README.md: " + ("rewritten" if after != before else "is up to date"))


if __name__ == "__main__":
    main()
