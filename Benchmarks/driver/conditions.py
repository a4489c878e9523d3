"""The conditions of a measurement: a quiet machine, one processor, a busy machine.

A queue that spins and yields is fastest when no other process wants the processors. On a busy machine a thread that
yields gives its time slice to another process. On one processor a thread that spins keeps the thread it waits for from
running."""

import os
import subprocess
import sys

import measure


class Condition:
    """Used as a context. `processors`: those on which neighbours disturb a measurement. `limits`: bar and goal of every
    ratio, where a row has none of its own for this condition; None: the row's general ones."""

    name, title, prefix, limits = "quiet", "a quiet machine", (), None
    absolute = True  # memory and idle time do not depend on the condition: measured once, unless a row names the condition
    rounds = 5
    contenders = None  # those that are measured unless others are asked for; None: all

    @property
    def processors(self):
        return sorted(os.sched_getaffinity(0))

    @property
    def suffix(self):
        return "" if self.name == "quiet" else "-" + self.name

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def rows(self, table):
        """The rows that this condition measures, each with its bar and goal."""
        return [row._replace(limits={"": self._limits_of(row)}) for row in table
                if self.absolute or not row.absolute or self.name in row.limits]

    def _limits_of(self, row):
        if self.name in row.limits:
            return row.limits[self.name]
        return self.limits if self.limits and row.judged and not row.absolute else row.limits[""]


class One(Condition):
    """Every thread on the first processor, by affinity."""

    name, title, limits, absolute = "one", "one processor", (1.0, 0.6), False
    rounds = 3  # figures vary less: threads cannot run at the same time
    contenders = ("ours", "libdispatch", "dispatch-global", "mutex")

    @property
    def processors(self):
        return super().processors[:1]

    @property
    def prefix(self):
        return ("taskset", "-c", str(self.processors[0]))


# Ends with the driver, however that ends.
_COMPUTE = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    for _ in range(1000000): pass"


class Busy(Condition):
    """Two processes per processor compute all the time, in the session of the programs: Linux schedules sessions as groups,
    and a yield gives time only to threads of the same group. Neighbours cannot be distinguished from these processes."""

    name, title, limits, absolute = "busy", "a busy machine: two computing processes per processor", (1.2, 0.8), False
    contenders = One.contenders
    processors = ()
    _running = ()

    def __enter__(self):
        self._running = [subprocess.Popen([sys.executable, "-c", _COMPUTE], **measure.AT_PRIORITY)
                         for _ in range(2 * len(os.sched_getaffinity(0)))]
        return self

    def __exit__(self, *_):
        for process in self._running:
            process.kill()
            process.wait()


_ALL = {kind.name: kind for kind in (Condition, One, Busy)}


ALL = list(_ALL)


def named(name):
    if name not in _ALL:
        sys.exit(f"CONDITION: there is no {name}; there are {', '.join(ALL)}.")
    return _ALL[name]()


def asked_for(default):
    """The conditions that CONDITION names, or those of `default`."""
    return [named(word) for word in os.environ.get("CONDITION", "").replace(",", " ").split() or default]
