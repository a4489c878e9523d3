"""results.py: what came of each mutant (results.tsv), and why some may survive (survivors.txt).

A row of results.tsv: the hash of the function that it is about (its tokens, without comments and white space), how it ended
(killed, survives, same, stillborn), what killed it, processor seconds, the mutant's name. A row with another hash than the
function has now is stale. survivors.txt has a reason in each line that begins at the margin, and under it, indented, the
names of those that survive for it. A name that ends in * stands for all that begin so, of which others may be killed.
"""
import pathlib
import threading
import time
from collections import namedtuple

HERE = pathlib.Path(__file__).resolve().parent
PAGE, REASONS = HERE / 'results.tsv', HERE / 'survivors.txt'
HEAD = 'function\tresult\tkilled by\tseconds\tmutant\n'
Row = namedtuple('Row', 'hash kind by seconds')
EVERY_SECONDS = 5
UNSETTLED = 'not settled'  # how the reason begins of those that nothing noticed and nobody has judged yet


def read_rows():
    rows = {}
    for line in PAGE.read_text().splitlines()[1:] if PAGE.exists() else []:
        *cells, name = line.split('\t', 4)
        rows[name] = Row(*cells)
    return rows


class Reasons(dict):
    """By name of the mutant, or by the beginning of names."""

    def why(self, name):
        return self.get(name) or next((reason for start, reason in self.items() if start.endswith('*') and name.startswith(start[:-1])), None)


def read_reasons():
    reasons, reason = Reasons(), None
    for line in REASONS.read_text().splitlines() if REASONS.exists() else []:
        if line.startswith((' ', '\t')):
            reasons[line.strip()] = reason
        elif line.strip() and not line.startswith('#'):
            reason = line.strip()
    return reasons


class Page:
    """The table while mutants are tried. It is written every few seconds, so that an interrupted run loses next to nothing."""

    def __init__(self, mutants):
        there = read_rows()
        self.order = [mutant.name for mutant in mutants]
        self.rows = {name: there[name] for name in self.order if name in there}
        self.old = there  # also of mutants that are gone: they may have killed
        self.lock, self.written = threading.Lock(), time.monotonic()

    def add(self, mutant, verdict, seconds):
        with self.lock:
            self.rows[mutant.name] = Row(mutant.hash, verdict.kind, verdict.by, f'{seconds:.1f}')
            if time.monotonic() - self.written > EVERY_SECONDS:
                self.write()

    def write(self):
        lines = ['\t'.join((*self.rows[name], name)) + '\n' for name in self.order if name in self.rows]
        fresh = PAGE.with_suffix('.new')
        fresh.write_text(HEAD + ''.join(lines))
        fresh.replace(PAGE)
        self.written = time.monotonic()


def is_current(mutant, rows):
    return mutant.name in rows and rows[mutant.name].hash == mutant.hash
