"""What the figures were measured on, and what else was using it at the time."""

import datetime
import os
import platform
import subprocess
import time

_LOAD = os.getloadavg()[0]  # before anything is measured


def _output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def _field(path, name):
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith(name):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return ""


def _distribution():
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        return ""


def _commit(root):
    commit = _output("git", "-C", root, "rev-parse", "--short=10", "HEAD") or "unknown"
    changed = _output("git", "-C", root, "status", "--porcelain", "--", "Sources", "Benchmarks/C", "Benchmarks/Rust", "Benchmarks/Go", "Benchmarks/Java",
                      "Benchmarks/Swift/Sources")
    core = os.environ.get("CORE")
    return commit + (" with uncommitted changes" if changed else "") + (f", the core from {core}" if core else "")


def core_version():
    """Names what is measured, so that only runs of the same sources are put together."""
    return _output("git", "-C", os.path.dirname(os.path.abspath(__file__)), "rev-parse", "HEAD:./../../Sources/CSerialQueue")


def describe(root, compiler):
    """(name, value) pairs: what a reader needs in order to compare with a machine of their own."""
    model = _field("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()
    memory = _field("/proc/meminfo", "MemTotal").split()
    libc = "-".join(part for part in platform.libc_ver() if part)
    virtual = ", virtual" if " hypervisor" in " " + _field("/proc/cpuinfo", "flags") else ""
    facts = [
        ("machine", f"{model}, {os.cpu_count()} processors{virtual}, {int(memory[0]) >> 20 if memory else '?'} GiB"),
        ("system", ", ".join(filter(None, [_distribution(), f"Linux {platform.release()}", libc]))),
        ("compiler", (_output(compiler, "--version").splitlines() or ["unknown"])[0]),
        ("load", f"{_LOAD:.1f} at the start"),
        ("commit", _commit(root)),
        ("date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")),
    ]
    return facts


class Neighbours:
    """How much processor time others took while one measurement ran, in processors (1.0: one processor, all the time).

    A contender's threads that should run at the same time run one after the other if another process has the
    second processor, and that changes a figure by far more than the share of time that was taken. Looks only at
    `processors`; without any, no process is a neighbour."""

    def __init__(self, processors):
        self._processors = processors
        self._began, self._idle = time.monotonic(), _idle_seconds(processors)

    def share(self, own_seconds):
        if not self._processors:
            return 0.0
        passed = time.monotonic() - self._began
        busy = passed * len(self._processors) - (_idle_seconds(self._processors) - self._idle)
        return max(0.0, (busy - own_seconds - _GRAIN) / passed)


_GRAIN = 0.03  # seconds by which /proc/stat may be off, and what starting a program costs


def _idle_seconds(processors):
    """Time in which these processors had nothing to do, added up. What a hypervisor took is not part of it."""
    names = {f"cpu{number}" for number in processors}
    with open("/proc/stat", encoding="ascii") as file:
        lines = [line.split() for line in file if line.split(" ", 1)[0] in names]
    return sum(int(fields[4]) + int(fields[5]) for fields in lines) / os.sysconf("SC_CLK_TCK")
