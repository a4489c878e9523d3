"""Conditions under which everything can be measured: a machine of one's own, a busy one, one processor.

A queue that spins and yields is at its best when nobody else wants the processors. On a busy machine whoever yields
gives its time to somebody else, and on one processor whoever spins keeps from running what it waits for."""

import os
import subprocess
import sys

import measure


class Condition:
    """Used as a context. `sees_neighbours`: whether the processor time that others take spoils a measurement."""

    suffix, title, prefix, sees_neighbours = "", "", [], True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


class Busy(Condition):
    """Two processes per processor compute all the time."""

    suffix, title, sees_neighbours = "-busy", ", on a busy machine", False
    _processes = ()

    def __enter__(self):
        self._processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"], **measure.AT_PRIORITY)
                           for _ in range(2 * os.cpu_count())]
        return self

    def __exit__(self, *_):
        for process in self._processes:
            process.kill()
            process.wait()


class One(Condition):
    """Every thread on the first processor; the programs cannot see the others."""

    suffix, title, prefix = "-one", ", on one processor", ["taskset", "-c", "0"]


def named(name):
    known = {"": Condition, "busy": Busy, "one": One}
    if name not in known:
        sys.exit(f"CONDITION: there is no {name}; there are busy and one.")
    return known[name]()
