"""results.py: the table of what killed each mutant, RESULTS.md.

A run renews the rows of what it tries, one after the other, each with the commit of the core that it was tried on. Rows of
mutants that are no longer in the lists go.
"""
import pathlib
import platform
import subprocess
import threading
from collections import Counter

PAGE = pathlib.Path(__file__).resolve().parent / 'RESULTS.md'
SURVIVES, FAILS, UNTRIED = 'survives', 'FAILS', 'not tried yet'
HEAD = '| mutant | killed by | after | s | core |\n|---|---|---|---:|---|\n'


def said(*command):
    return subprocess.run(command, cwd=PAGE.parents[2], capture_output=True, text=True).stdout.strip()


def commit_of_core():
    commit = said('git', 'log', '-1', '--format=%h', '--', 'Sources/CSerialQueue')
    return commit + ('+' if said('git', 'status', '--porcelain', '--', 'Sources/CSerialQueue') else '')


def rows_there():
    """By name: killed by, after, processor seconds, commit."""
    lines = PAGE.read_text().splitlines() if PAGE.exists() else []
    cells = [line[2:-2].split(' | ') for line in lines if line.startswith('| ')]
    return {name: tuple(rest) for name, *rest in cells if '.' in name}


class Page:
    def __init__(self, mutants):
        self.mutants, self.lock = mutants, threading.Lock()
        self.commit, self.compiler = commit_of_core(), f'gcc {said("gcc", "-dumpfullversion")}, {platform.machine()}'
        there = rows_there()
        self.rows = {mutant.name: there.get(mutant.name, (UNTRIED, '', '0', '')) for mutant in mutants}

    def add(self, mutant, row):
        by, after, seconds = row
        with self.lock:
            self.rows[mutant.name] = (by, after.replace('|', '/'), f'{seconds:.1f}', self.commit)
            PAGE.write_text(self.text())

    def text(self):
        kinds = Counter(by if by in (SURVIVES, FAILS, UNTRIED) else 'killed' for by, *_ in self.rows.values())
        seconds = sum(float(row[2]) for row in self.rows.values())
        commits = ', '.join(sorted({row[3] for row in self.rows.values()} - {''}))
        text = ('# Mutants: what killed each\n\n'
                f'Written by `make mutants RECORD=1`. {len(self.mutants)} mutants: {kinds["killed"]} killed, {kinds[SURVIVES]} '
                f'survive for a reason, {kinds[FAILS]} fail, {kinds[UNTRIED]} not tried yet.\n'
                f'{seconds:.0f} processor seconds ({self.compiler}), without the build of the true core; the core at {commits}.\n\n'
                '"After": how many schedules of which search, or how the test ended.\n')
        for file in dict.fromkeys(mutant.file for mutant in self.mutants):
            names = [mutant.name for mutant in self.mutants if mutant.file == file]
            text += f'\n## {file}\n\n{HEAD}' + ''.join(f'| {" | ".join((name, *self.rows[name]))} |\n' for name in names)
        return text
