"""Rewrites the tables of figures in ../README.md, and of ten rows in the README of the project, from the runs in build/results/runs. Called by
../run.sh readme.

A figure of one run says little: where threads contend, it depends on where the scheduler puts them. So the table shows, for each
condition, ranges over all runs of the same sources of the core as the latest run in that condition. Runs are not
committed: the two tables and the pages in results/ hold what they say."""

import glob
import json
import os
import re
import statistics
import sys

import conditions
import peers
import report
import rows
import table
import words

PROJECT = os.path.dirname(report.BENCHMARKS)
BEGIN, END = "<!-- figures: written by Benchmarks/run.sh readme -->", "<!-- end of figures -->"
BASE, OURS = "libdispatch", "ours"

# scenario and figure of the rows of the table
SHOWN = [("sync-uncontended", "wall"), ("sync-contended-2", "wall"), ("sync-contended-8", "wall"), ("sync-contended-64", "wall"),
         ("sync-work-4", "wall"), ("sync-work-4", "call_p99"), ("sync-work-4", "call_p999"), ("sync-work-4", "call_max"), ("async-1", "wall"), ("async-8", "wall"),
         ("async-sync-2", "wall"), ("async-sync-8", "wall"), ("async-and-wait-4", "wall"), ("ping-pong", "wall"),
         ("wake-200", "run_p50"), ("create-release", "wall"), ("many-100000", "wall"), ("timers-1000000", "wall"),
         ("concurrent-read", "wall"), ("concurrent-mixed-2", "wall"), ("concurrent-async", "wall"), ("apply-1000000", "wall"),
         ("item-run", "wall"), ("item-cancel", "wall"), ("group-async", "wall"), ("semaphore", "wall"), ("once", "wall"),
         ("memory-unused", "heap"), ("memory-used", "heap"), ("memory-used", "resident")]

# Those in the README of the project: the best, what most programs do, and the worst.
IN_SHORT = [("sync-uncontended", "wall"), ("sync-contended-8", "wall"), ("async-8", "wall"), ("ping-pong", "wall"), ("wake-200", "run_p50"),
            ("many-100000", "wall"), ("timers-1000000", "wall"), ("group-async", "wall"), ("sync-work-4", "wall"),
            ("sync-work-4", "call_max")]

# The row of the peers that shows the same as one of these, where it has another name.
PEER_SCENARIOS = {"sync-uncontended": "sync-contended-1", "async-1": "backlog-1", "async-8": "backlog-8", "ping-pong": "to-and-fro"}


def _peers_run(core):
    """The latest whole run of `make bench-peers` on a quiet machine, if it measured `core`; else nothing."""
    runs = []
    for path in glob.glob(os.path.join(report.RUNS, "peers-quiet-*.json")):
        with open(path, encoding="utf-8") as file:
            runs.append(json.load(file))
    runs = [run for run in runs if run["core"] == core]
    return _latest(runs)["medians"] if runs else {}


def _best_peer(medians, row):
    """"0.53 (java)": the ratio to the best peer."""
    figures = {name: of_one[row.metric] for name, of_one in medians.get(PEER_SCENARIOS.get(row.scenario, row.scenario), {}).items()
               if row.metric in of_one}
    others = {name: figure for name, figure in figures.items() if name not in (*peers.OURS, "best")}
    if not others or OURS not in figures:
        return "–"
    best = min(others, key=others.get)
    return f"{words.ratio(figures[OURS] / others[best])} ({best})"


def _runs():
    """{condition: runs} of the core that the latest run in that condition measured."""
    runs = []
    for path in glob.glob(os.path.join(report.RUNS, "c-*.json")):
        with open(path, encoding="utf-8") as file:
            runs.append(json.load(file))
    if not runs:
        sys.exit("There is no run in Benchmarks/build/results/runs; `make bench` makes one.")
    of = {name: [run for run in runs if run["condition"] == name] for name in conditions.ALL}
    return {name: [run for run in of[name] if run["core"] == _latest(of[name])["core"]] for name in conditions.ALL}


def _latest(runs):
    return max(runs, key=lambda run: run["facts"]["date"])


def _commits(runs):
    """"0123456789", or which condition was measured at which commit."""
    commits = {name: _latest(runs[name])["facts"]["commit"] for name in conditions.ALL if runs[name]}
    if len(set(commits.values())) == 1:
        return next(iter(commits.values()))
    return ", ".join(f"{commit} ({name})" for name, commit in commits.items())


def _figures(runs, row, contender):
    found = [run["medians"].get(row.scenario, {}).get(contender, {}).get(row.metric) for run in runs]
    return [figure for figure in found if figure is not None]


def _ratios(runs, row):
    pairs = [(_figures([run], row, OURS), _figures([run], row, BASE)) for run in runs]
    return [own[0] / base[0] for own, base in pairs if own and base and base[0]]


def _range(values, say):
    """"5.60–15.1 ns": from the lowest to the highest, the unit once if both have the same."""
    if not values:
        return "–"
    low, high = say(min(values)), say(max(values))
    if low == high:
        return low
    number, _, unit = low.partition(" ")
    return f"{number if unit and high.endswith(' ' + unit) else low}–{high}"


def _ratio(runs, row, name):
    """The ratios of one condition; bold if their median, or that of the figures, misses the bar."""
    shown = conditions.named(name).rows([row])
    ratios, bar = _ratios(runs, row), shown[0].limits[""][0] if shown else None
    judged = _figures(runs, row, OURS) if row.absolute else ratios
    text = _range(ratios, words.ratio)
    return f"**{text}**" if judged and bar is not None and statistics.median(judged) > bar else text


def _line(runs, row, of_peers):
    cells = [row.title]
    for contender in (BASE, OURS):
        cells.append(_range(_figures(runs["quiet"], row, contender), lambda value: words.figure(value, row.unit)))
    cells += [_ratio(runs[name], row, name) for name in conditions.ALL] + [_bars(row)]
    return cells + ([_best_peer(of_peers, row)] if of_peers else [])


def _bars(row):
    """"0.3 / 1 / 1.2": the bars of the conditions, in their order; "–" where there is none."""
    shown = [conditions.named(name).rows([row]) for name in conditions.ALL]
    bars = [words.limit(rows[0].limits[""][0], row) if rows else "" for rows in shown]
    return " / ".join(bar or "–" for bar in bars) if any(bars[1:]) else bars[0] or "–"


def _processors(facts):
    return next(part for part in facts["machine"].split(", ") if part.endswith("processors"))


def _of_peers(runs):
    return _peers_run(_latest(runs["quiet"])["core"]) if runs["quiet"] else {}


def _of_row():
    of_row = {(row.scenario, row.metric): row for row in rows.C_ROWS}
    missing = [name for name in {*SHOWN, *IN_SHORT} if name not in of_row]
    if missing:
        sys.exit(f"driver/readme.py: there are no rows {missing}.")
    return of_row


def _in_short(runs):
    """What stands between the marks in the README of the project."""
    of_peers, of_row = _of_peers(runs), _of_row()
    header = ["", "quiet", "one processor", "busy"] + (["to the best of the other libraries and languages"] if of_peers else [])
    lines = [[of_row[name].title] + [_ratio(runs[condition], of_row[name], condition) for condition in conditions.ALL]
             + ([_best_peer(of_peers, of_row[name])] if of_peers else []) for name in IN_SHORT]
    return table.markdown([header] + lines)


def _whole(runs):
    """What stands between the marks in ../README.md."""
    facts = _latest([run for each in runs.values() for run in each])["facts"]
    header = [_processors(facts), f"{BASE}, quiet", "this library, quiet", "ratio, quiet", "ratio, one processor",
              "ratio, busy", "bars"]
    of_peers, of_row = _of_peers(runs), _of_row()
    header += ["ratio to the best peer, quiet"] if of_peers else []
    counts = [len(runs[name]) for name in conditions.ALL]
    of_runs = ("Medians of one run in each condition" if set(counts) == {1} else "Lowest to highest median of several runs "
               f"({counts[0]} quiet, {counts[1]} on one processor, {counts[2]} busy)")
    text = [table.markdown([header] + [_line(runs, of_row[name], of_peers) for name in SHOWN]), "",
            f"{of_runs}. "
            f"–: measured on the quiet machine only. {facts['machine']}, {facts['system']}, commit {_commits(runs)}.", ""]
    if of_peers:
        text += ["Best peer: of Rust's channels, crossbeam, tokio, Go, Java, oneTBB, Asio, libuv and libdispatch: [all rows](results/peers.md).", ""]
    for name in conditions.ALL:
        condition = conditions.named(name)
        if os.path.exists(os.path.join(report.BENCHMARKS, "results", f"c{condition.suffix}.svg")):
            chart = f"![ratios to {BASE}, {condition.title}](results/c{condition.suffix}.svg)"
            text += [f"[{chart}](results/c{condition.suffix}.md)", ""]
    return "\n".join(text)


def _write(page, text):
    with open(page, encoding="utf-8") as file:
        before = file.read()
    if before.count(BEGIN) != 1 or before.count(END) != 1:
        sys.exit(f"{page} must have one line \"{BEGIN}\" and, below it, one line \"{END}\".")
    after = re.sub(re.escape(BEGIN) + ".*" + re.escape(END), lambda _: f"{BEGIN}\n{text.rstrip()}\n{END}", before, flags=re.DOTALL)
    with open(page, "w", encoding="utf-8") as file:
        file.write(after)
    print(f"{os.path.relpath(page, PROJECT)}: " + ("rewritten" if after != before else "is up to date"))


def main():
    runs = _runs()
    _write(os.path.join(PROJECT, "README.md"), _in_short(runs))
    _write(os.path.join(report.BENCHMARKS, "README.md"), _whole(runs))


if __name__ == "__main__":
    main()
