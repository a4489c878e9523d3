"""The C side: every contender in every scenario and condition. Called by ../run.sh, which has built the programs.

    SCENARIO='async sync-contended-2'  only these (a name, the beginning of one up to a dash, or a pattern)
    CONTENDER='ours mutex'             only these, and libdispatch
    ROUNDS=9                           medians of so many rounds; without, 5, or 3 on one processor
    QUICK=1                            three rounds, each a quarter as long: to see where one stands, not to quote
    CONDITION='quiet one busy'         only these conditions, see conditions.py; all three without
    PATIENCE=1200                      seconds to spend, per condition, on repeating what other processes disturbed; 120
                                       without, 30 if quick
    NICE=-20                           priority of the programs (root): for a machine that other processes use; hides what
                                       "busy" is meant to show
"""

import os
import sys

import conditions
import measure
import report
import rows

HERE = os.path.dirname(os.path.abspath(__file__))
BENCHMARKS = os.path.dirname(HERE)

# In the order of the tables. run.sh has left out those whose library is missing.
TITLES = {"ours": "this library, default settings",
          "libdispatch": "the Swift toolchain's shared library, default attributes, its _f calls",
          "dispatch-global": "libdispatch, queues that target the global queue (threads are shared)",
          "mutex": "pthread_mutex: mutual exclusion only, in no order",
          "plain": "one mutex, one condition variable, a thread per queue, as in tutorials",
          "glib": "GLib's GThreadPool with one exclusive thread",
          "asio": "an Asio strand on a pool of one thread per processor"}
PACKAGES = {"glib": "libglib2.0-dev", "asio": "libasio-dev"}


def words_of(variable):
    return os.environ.get(variable, "").replace(",", " ").replace("_", "-").split()


def contenders_asked_for(titles):
    """The words of CONTENDER, each of which names one of `titles`."""
    wanted = words_of("CONTENDER")
    for name in wanted:
        if name not in titles:
            sys.exit(f"CONTENDER: there is no {name}; there are {', '.join(titles)}.")
    return wanted


def contenders(titles, command_of, wanted, base="libdispatch"):
    """Those that are wanted and exist here; all, if `wanted` is empty; always `base`. `command_of(name)`: a list, or None if
    there is no such program."""
    chosen = []
    for name, title in titles.items():
        if wanted and name not in wanted and name != base:
            continue
        line = command_of(name)
        if line:
            chosen.append(measure.Contender(name, title, line))
        else:
            print(f"skipped: {title}; to measure it too: apt-get install {PACKAGES.get(name, '?')}", file=sys.stderr)
    return chosen


def rounds_asked_for(quick, usual=5):
    text = os.environ.get("ROUNDS", "") or ("3" if quick else str(usual))
    if not text.isdecimal() or int(text) == 0:
        sys.exit(f"ROUNDS: {text} is not a number of rounds.")
    return int(text)


def is_quick():
    return os.environ.get("QUICK", "0") not in ("", "0")


def _not_measured(titles, chosen):
    names = [name for name in titles if name not in [contender.name for contender in chosen]]
    return [f"Not measured here: {', '.join(names)}."] if names else []


def measure_and_report(name, title, table, titles, command_of, base, default, remarks=lambda results: []):
    """Measures the rows of `table` in each condition that is asked for, or in those of `default`, and writes the results.
    What bench.py and swift.py have in common. `remarks`: sentences about the results."""
    quick, wanted = is_quick(), [word for word in words_of("CONTENDER") if word in titles]
    for condition in conditions.asked_for(default):
        rounds, shown = rounds_asked_for(quick, condition.rounds), condition.rows(table)
        scenarios = rows.scenarios(shown, words_of("SCENARIO"), condition.name)
        if not scenarios:
            print(f"{condition.title}: has no such row", file=sys.stderr)
            continue
        usual = [each for each in condition.contenders or () if each in titles]
        chosen = contenders(titles, command_of, wanted or usual, base)
        try:
            with condition:
                results = measure.run(chosen, scenarios, rounds, quick, condition)
        except measure.Failure as failure:
            sys.exit(f"\nThe run is void. {failure}")
        complete = not quick and not words_of("SCENARIO") and not hides_load(condition)
        notes = [*remarks(results), *([] if usual or wanted else _not_measured(titles, chosen))]
        report.write(name, f"{title}, {condition.title}", condition, shown, results, chosen, rounds, base, complete and not wanted,
                     notes)
        # Every scenario, but not of every contender: a further run for the ranges in the README.
        if complete and wanted and chosen[0].name == "ours":
            report.keep_the_run(name, condition, rounds, results)


def hides_load(condition):
    """In a session of its own, a thread that yields never gives its time to the computing processes."""
    if condition.name != "busy" or not measure.PRIORITY:
        return False
    print("busy: NICE hides the effect of load. These figures are not for publication.", file=sys.stderr)
    return True


def command(name):
    path = os.path.join(BENCHMARKS, "build", "bench_" + name)
    return [path] if os.access(path, os.X_OK) else None


def main():
    contenders_asked_for(TITLES)
    if not rows.scenarios(rows.C_ROWS, words_of("SCENARIO")):
        sys.exit("SCENARIO: none is called that; there are " +
                 ", ".join(scenario.name for scenario in rows.scenarios(rows.C_ROWS, [])) + ".")
    measure_and_report("c", "The C core against other queues", rows.C_ROWS, TITLES, command, "libdispatch", conditions.ALL)


if __name__ == "__main__":
    main()
