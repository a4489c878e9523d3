"""Shows the results on the terminal and writes them to results/ as Markdown and SVG. Keeps medians in build/results/runs, for readme.py."""

import json
import os

import chart
import machine
import measure
import table

BENCHMARKS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RUNS = os.path.join(BENCHMARKS, "build", "results", "runs")


def folder(whole):
    """results/ for a whole run; build/ for a part or a quick one, whose figures are not for publication."""
    path = os.path.join(BENCHMARKS, "results" if whole else "build/results")
    os.makedirs(path, exist_ok=True)
    return path


def facts():
    return machine.describe(os.path.dirname(BENCHMARKS), os.environ.get("BENCH_COMPILER", "clang"))


def footer(about):
    """The last line of a chart."""
    about = dict(about)
    return f"{about['machine']} · commit {about['commit']} · {about['date']}"


def disturbances(results, condition=None):
    if condition and not condition.processors:
        return "Other processes cannot be distinguished from the computing ones here."
    if not results.disturbed:
        return "No other process used the processors."
    return (f"Other processes used more than a tenth of a processor during {results.disturbed} of {results.measured} "
            "measurements, after up to three tries each.")


# What the tables and charts call so.
BAR = "The bar of a row is the highest figure that this project accepts; the goal is what it is after."


def _notes(results, condition, rounds, base, bars, remarks):
    notes = [f"Medians of {rounds} rounds in alternation, a new process for each measurement. Ratios are to {base}; "
             f"lower is better. {BAR}"]
    if measure.PRIORITY:
        notes.append(f"The programs ran at priority {measure.PRIORITY}.")
    return notes + [*table.summary(bars), *remarks, disturbances(results, condition)]


def _tables(rows, results, names, base, bars):
    """(title, table) pairs."""
    found = [(f"Against {base} and the bars", bars)]
    if len(names) > 2:
        found += [("All contenders, time per task (ratio)", table.everybody(rows, results, names, base)),
                  ("All contenders, processor time per task (ratio)", table.everybody(rows, results, names, base, "cpu"))]
    return found


def _save(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def keep_the_run(name, condition, rounds, results):
    """Keeps the medians of all scenarios, from which readme.py takes ranges over runs."""
    about = facts()
    stamp = dict(about)["date"].replace(" UTC", "").replace(" ", "-").replace(":", "")
    run = {"name": name, "condition": condition.name, "core": machine.core_version(), "facts": dict(about), "rounds": rounds,
           "medians": results.medians()}
    _save(os.path.join(RUNS, f"{name}-{condition.name}-{stamp}.json"), json.dumps(run, indent=0) + "\n")


def write(name, title, condition, rows, results, contenders, rounds, base, whole, remarks=(), cpu_limits=(table.CPU_BAR, table.CPU_GOAL)):
    names, about = [contender.name for contender in contenders], facts()
    bars = table.against_the_bars(rows, results, names[0], base, cpu_limits)
    notes = _notes(results, condition, rounds, base, bars, remarks)
    tables = _tables(rows, results, names, base, bars)
    svg = chart.ratios(rows, results, contenders, base, title, footer(about))

    print("\n" + title)
    for heading, cells in tables:
        print(f"{heading}:\n{table.text(cells)}\n")
    print("\n".join([*notes, *(f"{key}: {value}" for key, value in about)]))

    text = [f"# {title}", "", *(f"- {key}: {value}" for key, value in about), "", " ".join(notes), ""]
    if svg:
        text += [f"![ratios to {base}]({name}{condition.suffix}.svg)", ""]
    text += ["## Contenders", "", *(f"- {contender.name}: {contender.title}" for contender in contenders), ""]
    for heading, cells in tables:
        text += [f"## {heading}", "", table.markdown(cells), ""]

    path = os.path.join(folder(whole), name + condition.suffix)
    _save(path + ".md", "\n".join(text))
    if svg:
        _save(path + ".svg", svg)
    if whole:
        keep_the_run(name, condition, rounds, results)
    print(f"written: {os.path.relpath(path, os.getcwd())}.md" + (" and .svg" if svg else ""))
