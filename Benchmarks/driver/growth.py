"""How the cost of a task grows with the backlog, the number of threads and the tasks' length; ours and libdispatch's.

Called by ../run.sh growth. ROUNDS and QUICK as in bench.py."""

import os
import sys

import bench
import conditions
import curves
import measure
import report
import rows
import table
import words

BACKLOGS = [10 ** power for power in range(8)]
THREADS = [1, 2, 4, 8, 16, 32, 64]
LENGTHS = [0, 1000, 10_000, 100_000]

# name, title of the panel, what the parameter is, its values, metrics and their names
Panel = rows.namedtuple("Panel", "name title axis values metrics")

PANELS = [
    Panel("grow-backlog", "a backlog: submit it (solid), drain it (dashed)", "tasks in the backlog", BACKLOGS,
          [("submit", "submit"), ("drain", "drain")]),
    Panel("grow-async", "async from several threads, drained", "submitting threads", THREADS, [("wall", "")]),
    Panel("grow-sync", "sync from several threads", "threads", THREADS, [("wall", "")]),
    Panel("grow-read", "readers of a concurrent queue, several threads", "threads", THREADS, [("wall", "")]),
    Panel("grow-length", "what the queue adds to a task (async)", "length of the task", LENGTHS,
          [("overhead", "")]),
]


def label(panel, value):
    if panel.name == "grow-length":
        return {0: "0", 1000: "1 µs", 10_000: "10 µs", 100_000: "100 µs"}[value]
    power = len(str(value)) - 1
    return f"10{str(power).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}" if value >= 1000 else str(value)


def _series(panel, results, contenders):
    """(contender, name of the metric, values) for every line of the panel."""
    return [(contender.name, name, [results.median(f"{panel.name}-{value}", contender.name, metric)
                                    for value in panel.values])
            for contender in contenders for metric, name in panel.metrics]


def _table(panel, series):
    header = [panel.axis] + [f"{contender} {name}".strip() for contender, name, _ in series]
    lines = [[label(panel, value)] + [words.figure(values[i], "ns") for _, _, values in series]
             for i, value in enumerate(panel.values)]
    return [header, *lines]


def main():
    quick = bench.is_quick()
    rounds = bench.rounds_asked_for(quick)
    chosen = bench.contenders(bench.TITLES, bench.command, bench.contenders_asked_for(bench.TITLES) or ["ours"])
    scenarios = [rows.Scenario(f"{panel.name}-{value}", 1, 3 if value == 10 ** 7 else None)
                 for panel in PANELS for value in panel.values]
    try:
        results = measure.run(chosen, scenarios, rounds, quick, conditions.Condition())
    except measure.Failure as failure:
        sys.exit(f"\nThe run is void. {failure}")

    about = report.facts()
    drawn = [(panel, _series(panel, results, chosen)) for panel in PANELS]
    text = ["# How the cost of a task grows", "", *(f"- {key}: {value}" for key, value in about), "",
            f"Per task; medians of {rounds} rounds in alternation, a fresh process for each measurement. "
            + report.disturbances(results), "", "![how cost grows](growth.svg)", ""]
    for panel, series in drawn:
        lines = _table(panel, series)
        print(f"{panel.title}\n{table.text(lines)}\n")
        text += [f"## {panel.title}", "", table.markdown(lines), ""]
    print(report.disturbances(results))
    path = report.folder(not quick)
    with open(os.path.join(path, "growth.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(text))
    with open(os.path.join(path, "growth.svg"), "w", encoding="utf-8") as file:
        file.write(curves.draw(drawn, label, report.footer(about)))
    print(f"written: {os.path.relpath(path)}/growth.md and growth.svg")


if __name__ == "__main__":
    main()
