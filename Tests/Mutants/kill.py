"""kill.py: a workshop builds the core with one mutant in it, and tries to tell it from the true core.

The explorer comes first: a mutant is found in some schedule, and the same search finds nothing in the true core. What it
does not see (the system's layer, forks, what is printed) is left to the C tests: one of them fails or hangs with the
mutant, and passes without.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import dataclass

from mutants import Wrong

TOP = pathlib.Path(__file__).resolve().parents[2]
CORE = TOP / 'Sources/CSerialQueue'
EXPLORE = TOP / 'Tests/Explore'
NAMED = '20000'  # schedules of each search, in the scenario that is named
FIRST = 'pct'  # of the searches
QUICK = '1000'  # the same, in the true core, for a mutant that was found within so many
SHORT = os.environ.get('SCHEDULES') or '1000'  # the same, in each scenario when all are tried
SETTINGS = ('SEED', 'SCENARIO', 'MEMORY', 'SCHEDULES', 'QUICK', 'TAPE', 'CORE', 'SLOTS', 'SQ_TEST', 'MAKEFLAGS', 'MAKELEVEL')
CLEAN = {name: value for name, value in os.environ.items() if name not in SETTINGS}


@dataclass
class Kill:
    by: str     # the scenario with its memory, or the test program
    after: str  # schedules, or a word on how it failed
    message: str


spent = threading.local()  # .seconds: processor time of the processes that this thread has called


def call(words, limit=600):
    """(exit status, what it said); the status is None where it did not end in time."""
    process = subprocess.Popen([str(word) for word in words], env=CLEAN, cwd=TOP, text=True, errors='replace', stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    late = threading.Event()

    def end():
        late.set()
        os.killpg(process.pid, signal.SIGKILL)  # with its children

    timer = threading.Timer(limit, end)
    timer.start()
    said = process.stdout.read()  # to its end; who ends has not been waited for yet, so that its number is nobody else's
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    timer.cancel()
    timer.join()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    spent.seconds = getattr(spent, 'seconds', 0) + usage.ru_utime + usage.ru_stime
    return None if late.is_set() else process.returncode, said


class Shop:
    """The core in a folder of its own, and the programs made of it."""

    def __init__(self, folder, explorer_objects=None):
        self.folder, self.core = folder, folder / 'core'
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copytree(CORE, self.core)
        if explorer_objects:
            shutil.copytree(explorer_objects, folder / 'explore.objects')

    def build(self, words, what):
        status, said = call(words)
        if status != 0:
            errors = re.findall(r'.*error: .*|.*undefined reference.*', said) or said.splitlines()[-1:]
            raise Wrong(f'{what} does not compile: {errors[0] if errors else status}')

    def explorer(self, file=None):
        """The explorer with this core; the objects of the true core are used again where only `file` differs."""
        out = self.folder / 'explore'
        if file is None or file.endswith('.h'):
            whole = self.folder / ('whole' if file else 'explore')
            self.build([EXPLORE / 'build.sh', whole, self.core], 'it')
            return whole
        self.build([EXPLORE / 'build.sh', out, self.core, file, self.core / file], 'it')
        return self.folder / 'explore-seeded'

    def test(self, program, flavour):
        out = self.folder / f'tests-{flavour}'
        self.build(['make', '--no-print-directory', f'FLAVOUR={flavour}', f'CORE={self.core}', f'OUT={out}', 'CFLAGS=-O1 -g',
                    f'{out}/tests/{program}'], program)
        return out / 'tests' / program


class TrueCore:
    """What each search and test says of the core as it is: asked once."""

    def __init__(self, folder):
        self.shop = Shop(folder)
        self.program = self.shop.explorer()
        self.lock = threading.Lock()
        self.told = {}
        self.scenarios = scenarios_of(self.program)

    def once(self, key, ask):
        with self.lock:
            if key not in self.told:
                self.told[key] = ask()
            return self.told[key]

    def is_clean(self, search):
        return self.once(search, lambda: call([self.program, 'find', *search])[0] == 1)

    def seconds(self, program, flavour, word):
        """How long this test takes; None: it fails here, too."""
        def ask():
            built = self.shop.test(program, flavour)
            begin = time.monotonic()
            status, said = call([built, *word])
            return time.monotonic() - begin if status == 0 and passed(said) else None
        return self.once((program, flavour, *word), ask)


def scenarios_of(program):
    status, said = call([program, 'list'])
    if status != 0:
        raise Wrong(f'the explorer does not list its scenarios: {said}')
    return [name for name in said.split() if not name.startswith('litmus')]  # those have no line of the core in them


def passed(said):
    planned = re.search(r'^plan (\d+)', said, re.M)
    return planned is not None and int(planned[1]) == len(re.findall(r'^ok ', said, re.M)) > 0


def search(true_core, program, scenario, memory, schedules):
    """A Kill, or None."""
    words = (scenario, memory, schedules)
    status, said = call([program, 'find', *words], limit=60)
    if status == 2:
        raise Wrong(said.strip())
    found = re.search(r'found by (\w+) after (\d+) schedules, \d+ choices: (.*)', said)
    if found and found[1] == FIRST and int(found[2]) <= int(QUICK) < int(schedules):
        words = (scenario, memory, QUICK)
    if status == 1 or not true_core.is_clean(words):
        return None
    by = f'{scenario} {memory}'
    if found:
        return Kill(by, f'{found[2]} {found[1]}', found[3])
    return Kill(by, 'hangs' if status is None else 'crashes', said.strip()[-80:])


def try_test(true_core, shop, program, flavour, word):
    usual = true_core.seconds(program, flavour, word)
    if usual is None:
        raise Wrong(f'{program} does not pass with the true core, or has no test with {word}')
    status, said = call([shop.test(program, flavour), *word], limit=30 + 10 * usual)
    if status == 0 and passed(said):
        return None
    names = re.findall(r'^FAIL (\S+)', said, re.M)
    how = 'hangs' if status is None else 'fails' if names else f'exit {status}'
    return Kill(' '.join(['debug' if flavour == 'debug' else '', program]).strip(), how, ' '.join(names[:1]) or said.strip()[-80:])


def kill(true_core, shop, mutant):
    """The first that tells the mutant from the true core, or None. Tries what is named, then everything."""
    source = (CORE / mutant.file).read_text()
    changed = mutant.apply(source)
    (shop.core / mutant.file).write_text(changed)
    try:
        return hunt(true_core, shop, mutant)
    finally:
        (shop.core / mutant.file).write_text(source)


def hunt(true_core, shop, mutant):
    named = mutant.killer
    if named[:1] in (['test'], ['debug']):
        found = try_test(true_core, shop, named[1], 'debug' if named[0] == 'debug' else 'release', tuple(named[2:]))
        if found:
            return found
    if not mutant.file.startswith('platform/') and named[:1] != ['debug']:
        program = shop.explorer(mutant.file)
        searches = [(named[0], named[1], (named[2:] or [NAMED])[0])] if len(named) > 1 and named[0] != 'test' else []
        searches += [(name, memory, SHORT) for memory in ('sc', 'ra') for name in true_core.scenarios]
        for words in searches:
            found = search(true_core, program, *words)
            if found:
                return found
    for test in mutant.tests:
        found = try_test(true_core, shop, test, 'release', ())
        if found:
            return found
    return None
