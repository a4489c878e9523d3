"""The C side: every contender in every scenario. Called by ../run.sh, which has built the programs.

    SCENARIO='async sync-contended-2'  only these (a name, the beginning of one up to a dash, or a pattern)
    CONTENDER='ours mutex'             only these, and libdispatch
    ROUNDS=9                           medians of so many rounds; 5 without
    QUICK=1                            three rounds, each a quarter as long: to see where one stands, not to quote
    CONDITION=busy|one                 on a busy machine, or on one processor: see conditions.py
    PATIENCE=1200                      seconds to spend on repeating what others disturbed; 240 without, 30 if quick
    NICE=-20                           priority of the programs: makes a machine that others use nearly one's own (root)
"""

import os
import sys

import conditions
import measure
import report
import rows

HERE = os.path.dirname(os.path.abspath(__file__))
BENCHMARKS = os.path.dirname(HERE)

# In the order of the tables. run.sh has left those out whose library is missing.
TITLES = {"ours": "this library", "libdispatch": "libdispatch, the Swift toolchain's, by its _f calls",
          "dispatch-global": "the same, on queues that target the global queue instead of the overcommit one",
          "mutex": "pthread_mutex", "plain": "one mutex, one condvar, broadcast, a thread per queue",
          "glib": "GLib's GThreadPool with one exclusive thread", "asio": "a Boost.Asio strand"}
PACKAGES = {"glib": "libglib2.0-dev", "asio": "libboost-dev"}


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
    """Those that are wanted and can be had; all, if `wanted` is empty; `base` is always among them. `command_of(name)`:
    a list, or None if there is no such program."""
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


def rounds_asked_for(quick):
    text = os.environ.get("ROUNDS", "") or ("3" if quick else "5")
    if not text.isdecimal() or int(text) == 0:
        sys.exit(f"ROUNDS: {text} is not a number of rounds.")
    return int(text)


def is_quick():
    return os.environ.get("QUICK", "0") not in ("", "0")


def measure_and_report(name, title, table, chosen, base, all_chosen, remarks=lambda results: []):
    """What bench.py and swift.py have in common. `table`: the rows; `remarks`: sentences about the results."""
    quick, condition = is_quick(), conditions.named(os.environ.get("CONDITION", ""))
    rounds = rounds_asked_for(quick)
    scenarios = rows.scenarios(table, words_of("SCENARIO"))
    if not scenarios:
        sys.exit("SCENARIO: none is called that; there are " +
                 ", ".join(scenario.name for scenario in rows.scenarios(table, [])) + ".")
    try:
        with condition:
            results = measure.run(chosen, scenarios, rounds, quick, condition)
    except measure.Failure as failure:
        sys.exit(f"\nThe run is void. {failure}")
    whole = not quick and not words_of("SCENARIO") and all_chosen
    report.write(name + condition.suffix, title + condition.title, table, results, chosen, rounds, base, whole,
                 remarks(results))


def command(name):
    path = os.path.join(BENCHMARKS, "build", "bench_" + name)
    return [path] if os.access(path, os.X_OK) else None


def main():
    chosen = contenders(TITLES, command, contenders_asked_for(TITLES))
    measure_and_report("c", "The C core beside what else there is", rows.C_ROWS, chosen, "libdispatch",
                       len(chosen) == len(TITLES))


if __name__ == "__main__":
    main()
