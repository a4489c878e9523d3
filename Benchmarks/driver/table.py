"""The tables: ours against libdispatch and the bars, then every contender. As text and as Markdown."""

import words
from rows import CPU_BAR, CPU_GOAL


def against_the_bars(rows, results, ours, theirs, cpu_limits=(CPU_BAR, CPU_GOAL)):
    """Header, then one list of cells per row that was measured. `cpu_limits`: bar and goal of processor time."""
    table = [["scenario", theirs, ours, "ratio", "bar", "goal", "met", "CPU " + theirs, "CPU " + ours, "ratio", "met"]]
    seen = set()
    for row in rows:
        base = results.median(row.scenario, theirs, row.metric)
        own = results.median(row.scenario, ours, row.metric)
        if row.scenario not in results.figures:
            continue
        ratio = results.ratio(row.scenario, ours, row.metric, theirs)
        judged = own if row.absolute else ratio
        bar, goal = row.limits[""]
        cells = [row.title, words.figure(base, row.unit), words.figure(own, row.unit), words.ratio(ratio),
                 words.limit(bar, row), words.limit(goal, row), words.verdict(judged, bar, goal)]
        if row.absolute or row.scenario in seen:
            cells += [""] * 4
        else:
            seen.add(row.scenario)
            cpu = results.ratio(row.scenario, ours, "cpu", theirs)
            cells += [words.figure(results.median(row.scenario, theirs, "cpu"), "ns"),
                      words.figure(results.median(row.scenario, ours, "cpu"), "ns"),
                      words.ratio(cpu), words.verdict(cpu, *cpu_limits)]
        table.append(cells)
    return table


def everybody(rows, results, names, base, metric=None):
    """The figure of every contender, and in brackets its ratio to `base`. `metric`: instead of the rows' own one."""
    table = [["scenario", *names]]
    seen = set()
    for row in rows:
        if metric and (row.absolute or row.scenario in seen):
            continue
        seen.add(row.scenario)
        cells, shown = [row.title], False
        for name in names:
            value = results.median(row.scenario, name, metric or row.metric)
            ratio = results.ratio(row.scenario, name, metric or row.metric, base)
            shown = shown or value is not None
            text = words.figure(value, row.unit)
            cells.append(f"{text} ({words.ratio(ratio)})" if ratio is not None and name != base else text)
        if shown:
            table.append(cells)
    return table


def text(table):
    widths = [max(len(cells[i]) for cells in table) for i in range(len(table[0]))]
    lines = []
    for number, cells in enumerate(table):
        line = [cells[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]
        lines.append("  ".join(line).rstrip())
        if number == 0:
            lines.append("-" * (sum(widths) + 2 * len(widths) - 2))
    return "\n".join(lines)


def markdown(table):
    lines = ["| " + " | ".join(cells) + " |" for cells in table]
    lines.insert(1, "|---|" + "---:|" * (len(table[0]) - 1))
    return "\n".join(lines).replace("MISSED", "**missed**")


def summary(table):
    """How many bars and goals are met, from the cells of against_the_bars()."""
    sentences = []
    for name, column in (("time and memory", 6), ("processor time", 10)):
        verdicts = [cells[column] for cells in table[1:] if cells[column]]
        if verdicts:
            missed = [cells[0] for cells in table[1:] if cells[column] == "MISSED"]
            sentences.append(f"{name}: {len(verdicts) - len(missed)} of {len(verdicts)} rows meet the bar, "
                             f"{verdicts.count('goal')} the goal"
                             + (f"; missed: {'; '.join(missed)}" if missed else "") + ".")
    return sentences
