"""Is libdispatch used as well as it can be? The ways to use it, and to link both libraries, compared."""

import os
import sys

import bench
import conditions
import measure
import report
import rows
import table

TITLES = {
    "libdispatch": "the contender of all other tables: dispatch_queue_create without attributes, dispatch_async_f, "
                   "dispatch_sync_f, shared library",
    "static": "the same, linked statically",
    "dispatch-global": "targets the global queue instead of the overcommit one",
    "qos": "with the quality of service \"user interactive\"",
    "barrier": "dispatch_barrier_async_f and dispatch_barrier_sync_f",
    "ours": "this library, linked statically, as SwiftPM does",
    "ours-shared": "this library as a shared library",
}


def main():
    quick = bench.is_quick()
    rounds = bench.rounds_asked_for(quick)
    shown = [row for row in rows.C_ROWS if not row.absolute and not row.scenario.startswith("many")]
    chosen = bench.contenders(TITLES, bench.command, bench.contenders_asked_for(TITLES))
    scenarios = rows.scenarios(shown, bench.words_of("SCENARIO"))
    try:
        results = measure.run(chosen, scenarios, rounds, quick, conditions.Condition())
    except measure.Failure as failure:
        sys.exit(f"\nThe run is void. {failure}")
    about = report.facts()
    figures = table.everybody(shown, results, list(TITLES), "libdispatch")
    print(table.text(figures), "\n\n" + report.disturbances(results))
    path = os.path.join(report.folder(not quick and not bench.words_of("SCENARIO")), "libdispatch.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([
            "# The ways to use libdispatch", "", *(f"- {key}: {value}" for key, value in about), "",
            f"Time per task, in brackets the ratio to the first column; medians of {rounds} rounds in alternation. "
            + report.disturbances(results), "", table.markdown(figures), "",
            *(f"- {name}: {title}" for name, title in TITLES.items()), ""]))
    print(f"written: {os.path.relpath(path)}")


if __name__ == "__main__":
    main()
