"""What the portable form of the Swift layer costs (Documentation/SwiftABI.md): the same program, compiled twice.

Called by ../run.sh. ROUNDS, SCENARIO and QUICK as in bench.py."""

import os
import sys

import bench
import conditions
import measure
import report
import rows
import swift
import words

TITLES = {"SerialQueue": "closures as Swift passes them", "portable": "compiled with -DSERIALQUEUE_PORTABLE"}
SCENARIOS = ("async-1", "sync-uncontended", "sync-value", "sync-contended-2", "item", "group-async", "concurrent-read", "apply-call")


def main():
    quick = bench.is_quick()
    rounds = bench.rounds_asked_for(quick)
    wanted = bench.words_of("SCENARIO")
    shown = [row for row in rows.SWIFT_ROWS if row.scenario in SCENARIOS and (not wanted or row.scenario in wanted)]
    programs = {"SerialQueue": swift.build(), "portable": swift.build("-portable", ["-Xswiftc", "-DSERIALQUEUE_PORTABLE"])}
    chosen = bench.contenders(TITLES, lambda name: [programs[name], "SerialQueue"], [])
    try:
        results = measure.run(chosen, [rows.Scenario(row.scenario, 1, None) for row in shown], rounds, quick, conditions.Condition())
    except measure.Failure as failure:
        sys.exit(f"\nThe run is void. {failure}")
    table = ["| what | usual form | portable form | ratio |", "|---|---:|---:|---:|"]
    for row in shown:
        usual, portable = (results.median(row.scenario, name, row.metric) for name in TITLES)
        table.append(f"| {row.title} | {words.figure(usual, row.unit)} | {words.figure(portable, row.unit)} | {portable / usual:.2f} |")
    print("\n".join(table), "\n\n" + report.disturbances(results))
    path = os.path.join(report.folder(not quick and not wanted), "portable.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(["# The portable form of the Swift layer", "", *(f"- {key}: {value}" for key, value in report.facts()), "",
                              f"Medians of {rounds} rounds in alternation. " + report.disturbances(results), "", *table, ""]))
    print(f"written: {os.path.relpath(path)}")


if __name__ == "__main__":
    main()
