"""Runs the contenders' programs in alternation and keeps the figures that they print."""

import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time

from machine import Neighbours

HANG = 120  # seconds after which a program counts as hanging; the slowest takes about ten
PRIORITY = os.environ.get("NICE", "")
BUSY = 0.10  # processors that other processes may use before a measurement is repeated
TRIES = 3


class Failure(Exception):
    """A contender lost a task, crashed or hung: the run is void."""


class Contender:
    def __init__(self, name, title, command, missing="", limit=None):
        self.name, self.title, self.command = name, title, command
        self.limit = limit  # seconds after which a scenario is n/a for it; None: what takes longer than HANG voids the run
        self.missing = missing  # why it cannot be measured on this machine; "" if it can


class Results:
    """Every figure of every round: `figures[scenario][contender]` is a list of the lines that the program printed."""

    def __init__(self):
        self.figures = {}
        self.reasons = {}  # (scenario, contender): why it is n/a
        self.measured = self.disturbed = 0

    def add(self, scenario, contender, line):
        if "na" in line:
            self.reasons[scenario, contender] = line["na"]
        else:
            self.figures.setdefault(scenario, {}).setdefault(contender, []).append(line)

    def median(self, scenario, contender, metric):
        """None if there is no such figure."""
        lines = self.figures.get(scenario, {}).get(contender, [])
        values = [line[metric] for line in lines if metric in line]
        return statistics.median(values) if values else None

    def medians(self):
        """{scenario: {contender: {metric: median}}}, rounded to what is significant."""
        return {scenario: {contender: {metric: float(f"{self.median(scenario, contender, metric):.4g}")
                                       for metric in lines[0] if isinstance(lines[0][metric], (int, float))}
                           for contender, lines in of_all.items()}
                for scenario, of_all in self.figures.items()}

    def ratio(self, scenario, contender, metric, to):
        ours, theirs = self.median(scenario, contender, metric), self.median(scenario, to, metric)
        return ours / theirs if ours is not None and theirs else None


def _raise_priority():
    """In the child: for the process, and for its session, because Linux weighs sessions against each other."""
    os.setpriority(os.PRIO_PROCESS, 0, int(PRIORITY))
    try:
        with open("/proc/self/autogroup", "w", encoding="ascii") as file:
            file.write(PRIORITY)
    except OSError:
        pass  # a kernel without sessions of that kind


AT_PRIORITY = {"start_new_session": True, "preexec_fn": _raise_priority} if PRIORITY else {}


def _once(contender, scenario, environment, condition):
    """One process: one scenario of one contender. Returns its line and how many processors other processes used."""
    neighbours, before = Neighbours(condition.processors), resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([*condition.prefix, *contender.command, scenario], capture_output=True, text=True, timeout=contender.limit or HANG,
                              env=environment, check=False, **AT_PRIORITY)
    except subprocess.TimeoutExpired:
        if contender.limit:
            return {"na": f"has not ended after {contender.limit} s"}, 0.0
        raise Failure(f"{contender.name}, {scenario}: has not ended after {HANG} seconds: it hangs.") from None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    others = neighbours.share(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    if done.returncode != 0:
        why = done.stderr.strip().splitlines()
        raise Failure(why[-1] if why else f"{contender.name}, {scenario}: ended with status {done.returncode}.")
    return json.loads(done.stdout), others


def _wait_for_quiet(limit, processors):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        neighbours = Neighbours(processors)
        time.sleep(0.3)
        if neighbours.share(0) < BUSY:
            return


class Progress:
    """One line that is overwritten on a terminal, or a line every ten seconds in a log."""

    def __init__(self, total):
        self.total, self.done, self.began, self.told = total, 0, time.monotonic(), 0.0
        self.live = sys.stderr.isatty()

    def step(self, text):
        self.done += 1
        passed = time.monotonic() - self.began
        left = passed / self.done * (self.total - self.done)
        line = f"[{self.done:4}/{self.total}] {text}"
        if self.done * 20 > self.total:  # earlier it would be a guess
            line += f", {left:.0f} s left"
        if self.live:
            print(f"\r{line:<78.78}", end="", file=sys.stderr, flush=True)
        elif passed - self.told >= 10 or self.done == self.total:
            self.told = passed
            print(line, file=sys.stderr, flush=True)

    def end(self):
        if self.live:
            print(f"\r{'':78}\r", end="", file=sys.stderr, flush=True)


def run(contenders, scenarios, rounds, quick, condition):
    """Round 1 of every scenario and contender, then round 2 of all, and so on; within a round the contenders of a
    scenario follow each other, in an order that changes."""
    results, order = Results(), random.Random(1)
    environment = dict(os.environ, BENCH_QUICK="1" if quick else "0")
    plan = []
    for number in range(rounds):
        for scenario in scenarios:
            if scenario.most is None or number < scenario.most:
                plan += [(number, scenario)] * scenario.times
    progress = Progress(len(plan) * len(contenders))
    patience = int(os.environ.get("PATIENCE") or (30 if quick else 120))
    for number, scenario in plan:
        for contender in order.sample(contenders, len(contenders)):
            progress.step(f"{condition.name}, round {number + 1} of {rounds}, {scenario.name}, {contender.name}")
            if (scenario.name, contender.name) in results.reasons:
                continue
            started = time.monotonic()
            line, others = _once(contender, scenario.name, environment, condition)
            tries, began = 1, time.monotonic()
            while others > BUSY and tries < TRIES and patience > 0 and "na" not in line:
                _wait_for_quiet(min(patience, 10), condition.processors)
                again = _once(contender, scenario.name, environment, condition)
                if again[1] < others:
                    line, others = again
                tries += 1
            if tries > 1:
                patience -= time.monotonic() - began
            results.measured += 1
            results.disturbed += others > BUSY
            line["others"] = round(others, 3)
            line["seconds"] = round(time.monotonic() - started, 3)
            results.add(scenario.name, contender.name, line)
        if scenario.name not in results.figures:
            raise Failure(f"{scenario.name}: no contender has this scenario.")
    progress.end()
    return results
