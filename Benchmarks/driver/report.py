"""Shows the results on the terminal and writes them to results/ as Markdown and SVG."""

import json
import os

import chart
import machine
import measure
import table

BENCHMARKS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def folder(whole):
    """results/ for a whole run; build/ for a part or a quick one, whose figures nobody is to quote."""
    path = os.path.join(BENCHMARKS, "results" if whole else "build/results")
    os.makedirs(path, exist_ok=True)
    return path


def facts():
    return machine.describe(os.path.dirname(BENCHMARKS), os.environ.get("BENCH_COMPILER", "clang"))


def footer(about):
    """The last line of a chart."""
    about = dict(about)
    return f"{about['machine']} · commit {about['commit']} · {about['date']}"


def disturbances(results):
    if not results.disturbed:
        return "Nobody else used the processors."
    priority = f" They ran at priority {measure.PRIORITY}." if measure.PRIORITY else ""
    return (f"Others used more than a tenth of a processor during {results.disturbed} of {results.measured} "
            f"measurements, after up to three tries each.{priority}")


def write(name, title, rows, results, contenders, rounds, base, whole, remarks=()):
    ours = contenders[0].name
    names = [contender.name for contender in contenders]
    bars = table.against_the_bars(rows, results, ours, base)
    everybody, cpu = table.everybody(rows, results, names, base), table.everybody(rows, results, names, base, "cpu")
    about = facts()
    notes = [f"Medians of {rounds} rounds in alternation, a fresh process for each measurement. Ratios are to {base}; "
             "lower is better."]
    notes += [*table.summary(bars), *remarks, disturbances(results)]

    print(table.text(bars), "\n")
    if len(names) > 2:
        print("Every contender, time per task (ratio):\n" + table.text(everybody), "\n")
        print("Every contender, processor time per task (ratio):\n" + table.text(cpu), "\n")
    print("\n".join(notes))
    print("\n".join(f"{key}: {value}" for key, value in about))

    path = folder(whole)
    svg = chart.ratios(rows, results, names, base, f"{title}: time per task, ratio to {base}",
                       footer(about))
    text = [f"# {title}", "", *(f"- {key}: {value}" for key, value in about), "", " ".join(notes), ""]
    if svg:
        with open(os.path.join(path, name + ".svg"), "w", encoding="utf-8") as file:
            file.write(svg)
        text += [f"![ratios to {base}]({name}.svg)", ""]
    text += [f"## Against {base} and the bars", "", table.markdown(bars), ""]
    if len(names) > 2:
        text += ["## Everybody, time per task", "", table.markdown(everybody), "",
                 "## Everybody, processor time per task", "", table.markdown(cpu), ""]
    text += ["## Contenders", "", *(f"- {contender.name}: {contender.title}" for contender in contenders), ""]
    with open(os.path.join(path, name + ".md"), "w", encoding="utf-8") as file:
        file.write("\n".join(text))
    os.makedirs(os.path.join(BENCHMARKS, "build", "results"), exist_ok=True)
    with open(os.path.join(BENCHMARKS, "build", "results", name + ".json"), "w", encoding="utf-8") as file:
        json.dump({"facts": dict(about), "rounds": rounds, "figures": results.figures}, file, indent=1)
    print(f"written: {os.path.relpath(path, os.getcwd())}/{name}.md" + (f" and {name}.svg" if svg else ""))
