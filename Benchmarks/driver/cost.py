"""What probes and traces cost. Off: instructions of the core with them and without them (-DSQ__WITHOUT_INSIDE), counted by callgrind. On:
nanoseconds per recorded event, besides reading the clock.

Called by ../run.sh, which has built both programs (C/cost.c). SCENARIO='sync async': only these rows, not the trace."""

import json
import os
import re
import shutil
import subprocess
import sys

import bench
import report

BAR_OFF, BAR_ON = 1.02, 40.0
FEW, MANY = 1000, 3000  # the first rounds allocate what later ones reuse


def _program(name):
    return os.path.join(bench.BENCHMARKS, "build", name)


def _counted(program, row, rounds):
    """Instructions of the whole process."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, row, str(rounds)],
                          capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"cost: {row}: {done.stderr.strip().splitlines()[-1]}")
    return int(found.group(1))


def _instructions(program, row, tasks):
    return (_counted(program, row, MANY) - _counted(program, row, FEW)) / (MANY - FEW) / tasks


def _off(wanted):
    table, worst, over = ["| what, for each task | with | without | ratio | bar |", "|---|---|---|---|---|"], 0, []
    lines = subprocess.run([_program("bench_cost"), "rows"], capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        row, tasks, title = line.split(" ", 2)
        if wanted and row not in wanted:
            continue
        inside, without = (_instructions(_program(name), row, int(tasks)) for name in ("bench_cost", "bench_cost-without"))
        worst = max(worst, inside / without)
        table.append(f"| {title} | {inside:.1f} | {without:.1f} | {inside / without:.3f} | "
                     f"{BAR_OFF} {'holds' if inside <= without * BAR_OFF else 'missed'} |")
        print(table[-1], file=sys.stderr, flush=True)
        if inside > without * BAR_OFF:
            over.append(f"{title} ({inside - without:.1f} instructions)")
    return [*table, "", f"Over the bar: {'; '.join(over) or 'none'}."], worst


def main():
    wanted = bench.words_of("SCENARIO")
    if not shutil.which("valgrind"):
        print("cost: left out, as there is no valgrind to count instructions with (apt-get install valgrind)")
        return
    off, worst = _off(wanted)
    trace = json.loads(subprocess.run([_program("bench_cost"), "trace"], capture_output=True, text=True, check=True).stdout)
    on = [f"An event costs {trace['event']:.1f} ns (bar: {BAR_ON:g}, {'holds' if trace['event'] <= BAR_ON else 'missed'}) besides reading "
          f"the clock ({trace['clock']:.1f} ns): medians of {trace['rounds']} rounds of {trace['syncs']} uncontended syncs, which record two "
          "events each, against the same syncs without a trace."]
    print("\n".join([*off, "", *on]))
    path = os.path.join(report.folder(not wanted), "cost.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(["# What probes and traces cost", "", *(f"- {key}: {value}" for key, value in report.facts()), "",
                              "## Off", "",
                              "Instructions with probes and traces compiled in, as always, and without them (`-DSQ__WITHOUT_INSIDE`). "
                              f"callgrind, the difference between {FEW} and {MANY} rounds, the caller's loop included; one thread, "
                              "asynchronous work on a manual pool, so every run takes the same instructions. Rows in which threads meet "
                              "consist of these and of waits.", "", *off, "", "## On: a trace", "", *on, ""]))
    print(f"written: {os.path.relpath(path)}; worst ratio {worst:.3f}")


if __name__ == "__main__":
    main()
