#!/usr/bin/env python3
"""sets.py [NAME...]: weakens the orders of each set of sets.txt together. A whole search must find each set; returns 1 if one is not found."""
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from generate import CORE, TOP, mutants_of

EXPLORE = TOP / 'Tests/Explore'
BUILD = TOP / 'build/mutant-sets'
ORDERS = {'relaxed': 0, 'acquire': 1, 'release': 2, 'acq_rel': 3}


def read():
    """{name: (scenario, schedules, the names of the mutants)}"""
    sets = {}
    for line in pathlib.Path(__file__).with_name('sets.txt').read_text().splitlines():
        head = re.fullmatch(r'set (\w+) (\w+) (\d+)', line)
        if head:
            mutants = []
            sets[head[1]] = head[2], head[3], mutants
        elif line and not line.startswith('#'):
            mutants.append(line)
    return sets


def both(one, other):
    """An operation that two mutants weaken, each in its way: what both leave of each order."""
    orders = [re.findall(r'memory_order_(\w+)', text) for text in (one, other)]
    left = iter([next(name for name, bits in ORDERS.items() if bits == ORDERS[a] & ORDERS[b]) for a, b in zip(*orders)])
    return re.sub(r'memory_order_\w+', lambda _: f'memory_order_{next(left)}', one)


def weakened(file, names):
    known = {mutant.name: mutant for mutant in mutants_of(file)}
    edits = {}
    for name in names:
        if name not in known:
            sys.exit(f'sets.txt: there is no mutant "{name}"')
        for begin, end, new in known[name].edits:
            edits[begin, end] = both(edits[begin, end], new) if (begin, end) in edits else new
    text = (CORE / file).read_text()
    for (begin, end), new in sorted(edits.items(), reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def find(name, scenario, schedules, mutants):
    arguments = [EXPLORE / 'build.sh', BUILD / 'explore', CORE]
    for file in sorted({mutant.split()[0] for mutant in mutants}):
        patched = BUILD / f'{name}-{file.replace("/", "-")}'
        patched.write_text(weakened(file, [mutant for mutant in mutants if mutant.split()[0] == file]))
        arguments += [file, patched]
    subprocess.run(arguments, check=True)
    return subprocess.run([BUILD / 'explore-seeded', 'find', scenario, 'ra', schedules], check=False).returncode == 0


def main():
    os.environ.update(SEARCH='whole', WHOLE='1')
    BUILD.mkdir(parents=True, exist_ok=True)
    subprocess.run([EXPLORE / 'build.sh', BUILD / 'explore', CORE], check=True)
    missed = 0
    for name, of_set in read().items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            print(f'set {name}: ', end='', flush=True)
            missed += not find(name, *of_set)
    return missed > 0


if __name__ == '__main__':
    sys.exit(main())
